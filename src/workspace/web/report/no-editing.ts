// In place of what writes: a file has no server, so its script has no editing. `vite.config.ts` puts it there.

export const AddKeywords = (): null => null;
export const RowActions = (): null => null;
export const KeywordActions = (): null => null;
