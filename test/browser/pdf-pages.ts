// The pages of a PDF as pixels and as text, by PDFium in WebAssembly: what a printer or a reader of the PDF gets.

/** `npm ci --prefix test/browser` installs it. */
const pdfPackage = '@hyzyla/pdfium';

interface Pdfium {
  readonly PDFiumLibrary: { init(): Promise<{ loadDocument(pdf: Uint8Array): Promise<PdfDocument>; destroy(): void }> };
}

interface PdfDocument {
  pages(): Iterable<{
    getText(): string;
    render(options: { scale: number; render: 'bitmap' }): Promise<{ width: number; height: number; data: Uint8Array }>;
  }>;
  destroy(): void;
}

export interface PdfPage {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha of each pixel, row by row. */
  readonly data: Uint8Array;
  readonly text: string;
}

/** `scale`: pixels to a point, which is 1/72 inch. */
export async function pdfPages(pdf: Uint8Array, scale = 2): Promise<PdfPage[]> {
  // its types are installed with it only
  const { PDFiumLibrary } = (await import(pdfPackage)) as Pdfium;
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(pdf);
  // after a page was rendered, this library reads no text any more
  const texts = [...document.pages()].map((page) => page.getText());
  const pages: PdfPage[] = [];
  for (const page of document.pages()) {
    const { width, height, data } = await page.render({ scale, render: 'bitmap' });
    pages.push({ width, height, data: data.slice(), text: texts[pages.length] ?? '' });
  }
  document.destroy();
  library.destroy();
  return pages;
}

/** `#08306b` as one number, as `colourAt` has it. */
export function colourOf(hex: string): number {
  return Number.parseInt(hex.slice(1), 16);
}

export function colourAt({ width, data }: PdfPage, x: number, y: number): number {
  const at = 4 * (y * width + x);
  return ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0);
}

/** Of each channel: a PDF may compress pictures with loss. */
const channelTolerance = 4;

/** Finds the colour of a list that a pixel has, as its index; -1: none. */
function colourFinder(colours: readonly number[]): (pixel: number) => number {
  const known = new Map<number, number>();
  return (pixel) => {
    let index = known.get(pixel);
    if (index === undefined) {
      index = colours.findIndex((colour) =>
        [16, 8, 0].every((bits) => Math.abs(((colour >> bits) & 255) - ((pixel >> bits) & 255)) <= channelTolerance),
      );
      known.set(pixel, index);
    }
    return index;
  };
}

/** How many pixels of a page have each of these colours. */
export function colourCounts(page: PdfPage, colours: readonly number[]): number[] {
  const find = colourFinder(colours);
  const counts = colours.map(() => 0);
  for (let y = 0; y < page.height; y += 1) {
    for (let x = 0; x < page.width; x += 1) {
      const index = find(colourAt(page, x, y));
      if (index >= 0) counts[index] = (counts[index] ?? 0) + 1;
    }
  }
  return counts;
}
