// Records which expressions are linear, all checked anew: `npx node test/redos/main.ts`, about a minute. Prints the others.
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
