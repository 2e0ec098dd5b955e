// The calendar of the period: two clicks choose its first and its last day.
import { type ReactNode, useState } from 'react';
import { type DateRange, DayPicker } from 'react-day-picker';
import { day, weekday } from '../words.ts';

/** Of the calendar, which knows local days only. */
const toDate = (day: string) => new Date(`${day}T00:00:00`);
const two = (value: number) => String(value).padStart(2, '0');
const toDay = (date: Date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

interface Props {
  readonly from: string;
  readonly to: string;
  readonly first: string;
  readonly newest: string;
  readonly dates: readonly string[];
  readonly onChoose: (from: string, to: string) => void;
}

export function Calendar({ from, to, first, newest, dates, onChoose }: Props): ReactNode {
  const [chosen, setChosen] = useState<DateRange | undefined>({ from: toDate(from), to: toDate(to) });
  const [isBegun, begin] = useState(false);
  return (
    <DayPicker
      mode="range"
      selected={chosen}
      resetOnSelect
      defaultMonth={toDate(to)}
      startMonth={toDate(first)}
      endMonth={toDate(newest)}
      weekStartsOn={1}
      modifiers={{ checked: dates.map(toDate) }}
      modifiersClassNames={{ checked: 'day-checked' }}
      labels={{
        // begins with the number that is seen
        labelDayButton: (date, { selected }) =>
          `${day(toDay(date))}, ${weekday(toDay(date))}${selected ? ', chosen' : ''}`,
      }}
      disabled={{ before: toDate(first), after: toDate(newest) }}
      onSelect={(range) => {
        setChosen(range);
        if (isBegun && range?.from && range.to) onChoose(toDay(range.from), toDay(range.to));
        begin(true);
      }}
    />
  );
}
