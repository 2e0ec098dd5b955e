// A process that imports a list of keywords: node dataset-child.ts LIST DATASET. It says when it begins and when it is done.
import { importKeywords } from '../../src/app/keyword-import.ts';

const [list = '', into = ''] = process.argv.slice(2);
process.stdout.write('begins');
await importKeywords({ files: [list], into, country: 'US', language: 'en' });
process.stdout.write('done');
