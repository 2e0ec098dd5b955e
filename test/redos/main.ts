// Checks every expression anew, records the linear ones and prints the others: `npx node test/redos/main.ts`.
import { record, verdictOf } from './checker.ts';
import { expressionsOfTheProduct } from './expressions.ts';

const verdicts = expressionsOfTheProduct().literals.map((expression) => ({
  expression,
  verdict: verdictOf(expression),
}));
record(verdicts.filter(({ verdict }) => verdict === 'safe').map(({ expression }) => expression));
for (const { expression, verdict } of verdicts) {
  if (verdict !== 'safe') console.log(`${verdict}\t${expression.text}\t${expression.files.join(' ')}`);
}
