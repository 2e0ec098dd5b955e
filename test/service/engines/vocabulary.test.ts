// The words that `parse --anonymise` keeps are exactly the words of the readers.
import { expect, test } from 'vitest';
import { vocabularyFile } from '../../helpers/reader-words.ts';

test('the vocabulary of anonymised pages contains the words of the readers and no others', async () => {
  await expect(await vocabularyFile()).toMatchFileSnapshot('../../../src/service/engines/vocabulary.ts');
});
