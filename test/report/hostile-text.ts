// Texts as the web has them, and worse: markup, formulas, quotes, right-to-left text, emoji. Equal seeds, equal texts.

const pieces = [
  ...[
    '=',
    '+',
    '-',
    '@',
    '\t',
    '\r',
    '\n',
    '\r\n',
    '"',
    '""',
    "'",
    ',',
    ';',
    '|',
    '\\',
    ' ',
    '\u0000',
    '\u000B',
    '\uFEFF',
  ],
  ...[
    '=1+1',
    '=HYPERLINK("http://evil.example","x")',
    "+cmd|' /C calc'!A0",
    '-2+3',
    '@SUM(A1:A9)',
    "=cmd|'/C calc'!A1",
    '＝1',
    '\u2212 5',
  ],
  ...['<script>alert(1)</script>', '<b>', '&amp;', ']]>', '<!--', '%0A', '\\"', '\\|', 'a|b'],
  ...['שלום', 'مرحبا', '\u202E', '\u200F', '\u2066', '東京', 'Ü', 'é', 'e\u0301', '🚀', '👩‍👩‍👧', '🇩🇪', '\u{1F600}'],
  ...['\uD800', '\uDFFF', '\uDC00\uD800', '\uFFFE', '\uFFFF', '\uFFFD', '\u2028', '\u0085', '\u001B[31m'],
  ...['running shoes', '0', '007', '1e5', '2026-01-02', 'TRUE', 'null', 'NaN', '1,5', '_x000D_'],
] as const;

/** One to four pieces. Never empty. */
export function hostileText(random: () => number): string {
  const count = 1 + Math.floor(random() * 4);
  return Array.from({ length: count }, () => pieces[Math.floor(random() * pieces.length)] ?? '').join('');
}
