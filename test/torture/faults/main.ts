// Injects one fault and prints JSON: node main.ts FAULT ROUNDS SEED. A process that a mutated copy can run as well.
import { faults, injectAll } from './all.ts';

const [name, rounds, seed] = process.argv.slice(2);
const fault = faults.find((one) => one.name === name);
if (fault === undefined) throw new Error(`There is no fault "${name}"; there are: ${faults.map((one) => one.name)}`);
console.log(JSON.stringify(await injectAll(fault, Number(rounds), Number(seed))));
process.exit();
