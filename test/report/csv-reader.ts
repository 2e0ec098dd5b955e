// Reads CSV strictly by RFC 4180, one character at a time, without sharing code with the writer.

/** Rows of cells. Throws on a quote in a bare cell, text after a closing quote, or a line end that is not CRLF. */
export function readCsv(text: string, delimiter = ','): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let state: 'start' | 'bare' | 'quoted' | 'closing' = 'start';
  const endCell = (): void => {
    row.push(cell);
    cell = '';
    state = 'start';
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (state === 'quoted') {
      if (character === '"') state = 'closing';
      else cell += character;
    } else if (state === 'closing' && character === '"') {
      cell += character;
      state = 'quoted';
    } else if (character === delimiter) endCell();
    else if (character === '\r') {
      if (text.charAt(at + 1) !== '\n') throw new Error(`a CR without LF at ${at}`);
      at += 1;
      endCell();
      rows.push(row);
      row = [];
    } else if (state === 'closing') throw new Error(`text after a closing quote at ${at}`);
    else if (character === '\n') throw new Error(`a LF without CR at ${at}`);
    else if (character === '"') {
      if (state === 'bare') throw new Error(`a quote in a bare cell at ${at}`);
      state = 'quoted';
    } else {
      cell += character;
      state = 'bare';
    }
  }
  if (state !== 'start' || row.length > 0) throw new Error('the last line has no end');
  return rows;
}

/** The items of a list cell, separated by a `|` without a `\` before it. */
export function listItems(cell: string): string[] {
  if (cell === '') return [];
  const items = [''];
  for (let at = 0; at < cell.length; at += 1) {
    const character = cell.charAt(at);
    if (character === '|') items.push('');
    else {
      if (character === '\\') at += 1;
      items.push((items.pop() ?? '') + cell.charAt(at));
    }
  }
  return items;
}
