// Checks new expressions, records the linear ones and prints the others: `npx node test/redos/main.ts`.
import { nameOf, record, recorded, verdictOf } from './checker.ts';
import { expressionsOfTheProduct } from './expressions.ts';

const known = recorded();
const verdicts = expressionsOfTheProduct().literals.map((expression) => ({
  expression,
  verdict: known.has(nameOf(expression)) ? 'safe' : verdictOf(expression),
}));
record(verdicts.filter(({ verdict }) => verdict === 'safe').map(({ expression }) => expression));
for (const { expression, verdict } of verdicts) {
  if (verdict !== 'safe') console.log(`${verdict}\t${expression.text}\t${expression.files.join(' ')}`);
}
