// The packaged part of Google's table of geo targets: regions and larger cities of some countries.

/** By country: its name in the table, and lines `region: city, city`. A region alone is a place too. */
export const largerPlaces: Readonly<Record<string, { readonly name: string; readonly regions: string }>> = {
  US: {
    name: 'United States',
    regions: `
Alabama: Birmingham, Huntsville, Montgomery, Mobile
Alaska: Anchorage
Arizona: Phoenix, Tucson, Mesa, Chandler, Gilbert, Glendale, Scottsdale, Tempe
Arkansas: Little Rock
California: Los Angeles, San Diego, San Jose, San Francisco, Fresno, Sacramento, Long Beach, Oakland, Bakersfield, Anaheim, Santa Ana, Riverside, Irvine, Stockton, Fremont
Colorado: Denver, Colorado Springs, Aurora, Fort Collins, Boulder
Connecticut: Bridgeport, New Haven, Stamford, Hartford
Delaware: Wilmington, Dover
District of Columbia: Washington
Florida: Jacksonville, Miami, Tampa, Orlando, St. Petersburg, Hialeah, Tallahassee, Fort Lauderdale
Georgia: Atlanta, Augusta, Columbus, Savannah
Hawaii: Honolulu
Idaho: Boise
Illinois: Chicago, Aurora, Naperville, Rockford, Springfield
Indiana: Indianapolis, Fort Wayne, Evansville
Iowa: Des Moines, Cedar Rapids
Kansas: Wichita, Overland Park, Kansas City
Kentucky: Louisville, Lexington
Louisiana: New Orleans, Baton Rouge, Shreveport
Maine: Portland
Maryland: Baltimore, Columbia
Massachusetts: Boston, Worcester, Springfield, Cambridge
Michigan: Detroit, Grand Rapids, Ann Arbor, Lansing
Minnesota: Minneapolis, Saint Paul
Mississippi: Jackson
Missouri: Kansas City, St. Louis, Springfield
Montana: Billings
Nebraska: Omaha, Lincoln
Nevada: Las Vegas, Henderson, Reno
New Hampshire: Manchester
New Jersey: Newark, Jersey City, Paterson
New Mexico: Albuquerque, Santa Fe
New York: New York, Buffalo, Rochester, Yonkers, Syracuse, Albany
North Carolina: Charlotte, Raleigh, Greensboro, Durham, Winston-Salem
North Dakota: Fargo
Ohio: Columbus, Cleveland, Cincinnati, Toledo, Akron, Dayton
Oklahoma: Oklahoma City, Tulsa
Oregon: Portland, Salem, Eugene
Pennsylvania: Philadelphia, Pittsburgh, Allentown
Rhode Island: Providence
South Carolina: Charleston, Columbia
South Dakota: Sioux Falls
Tennessee: Nashville, Memphis, Knoxville, Chattanooga
Texas: Houston, San Antonio, Dallas, Austin, Fort Worth, El Paso, Arlington, Corpus Christi, Plano, Lubbock, Laredo, Irving, Frisco
Utah: Salt Lake City, Provo
Vermont: Burlington
Virginia: Virginia Beach, Norfolk, Chesapeake, Richmond, Arlington
Washington: Seattle, Spokane, Tacoma, Vancouver, Bellevue
West Virginia: Charleston
Wisconsin: Milwaukee, Madison, Green Bay
Wyoming: Cheyenne`,
  },
  GB: {
    name: 'United Kingdom',
    regions: `
England: London, Birmingham, Manchester, Liverpool, Leeds, Sheffield, Bristol, Newcastle upon Tyne, Nottingham, Leicester
Scotland: Glasgow, Edinburgh, Aberdeen, Dundee
Wales: Cardiff, Swansea
Northern Ireland: Belfast`,
  },
  CA: {
    name: 'Canada',
    regions: `
Ontario: Toronto, Ottawa, Mississauga, Hamilton
Quebec: Montreal, Quebec City
British Columbia: Vancouver, Victoria
Alberta: Calgary, Edmonton
Manitoba: Winnipeg
Nova Scotia: Halifax`,
  },
  AU: {
    name: 'Australia',
    regions: `
New South Wales: Sydney, Newcastle, Wollongong
Victoria: Melbourne, Geelong, Ballarat, Bendigo
Queensland: Brisbane, Cairns, Townsville, Toowoomba
South Australia: Adelaide
Western Australia: Perth
Tasmania: Hobart, Launceston
Northern Territory: Darwin
Australian Capital Territory: Canberra`,
  },
  DE: {
    name: 'Germany',
    regions: `
Berlin: Berlin
Hamburg: Hamburg
Bavaria: Munich, Nuremberg, Augsburg
North Rhine-Westphalia: Cologne, Dusseldorf, Dortmund, Essen, Bonn
Hesse: Frankfurt
Baden-Wurttemberg: Stuttgart, Karlsruhe, Mannheim
Saxony: Leipzig, Dresden
Lower Saxony: Hanover
Bremen: Bremen`,
  },
};

/** Postal abbreviations of the states of the US. */
const abbreviations =
  'AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|DC District of Columbia|FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming';

export const stateNames: ReadonlyMap<string, string> = new Map(
  abbreviations.split('|').map((entry) => [entry.slice(0, 2), entry.slice(3)]),
);
