// Writes without a pause: each transaction adds a keyword and a host with one number. Ends with its stdin.
import { openStore } from '../../db/store.ts';

const [file = ''] = process.argv.slice(2);
const store = openStore(file);
let isWriting = true;
process.stdin.on('end', () => {
  isWriting = false;
});
process.stdin.resume();
for (let number = 0; isWriting; number += 1) {
  store.transaction(() => {
    store.names.keywordId(`written ${number}`);
    store.names.urlId(`https://written-${number}.example/`);
  });
  if (number === 10) process.stdout.write('writing\n');
  await new Promise((next) => setImmediate(next));
}
store.close();
