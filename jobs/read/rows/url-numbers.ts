// Numbers of URLs by their ids, forgotten where there are too many to keep.

/** Ids of URLs in a row stand in one list: old URLs and new ones of a project lie close together. */
const urlsPerList = 1_024;
/** Lists of 4 KB that are kept: of four million URLs that lie close together, and of fewer that do not. */
const listsMax = 4_096;

/** A number a URL, in a seventh of the room that a map of them takes. */
export class UrlNumbers {
  /** By the id of the URL: 0 is not known, others are one more than the number. */
  #lists: Int32Array[] = [];
  #count = 0;

  of(urlId: number): number | undefined {
    const kept = this.#lists[Math.floor(urlId / urlsPerList)]?.[urlId % urlsPerList] ?? 0;
    return kept === 0 ? undefined : kept - 1;
  }

  set(urlId: number, number: number): void {
    const at = Math.floor(urlId / urlsPerList);
    let list = this.#lists[at];
    if (list === undefined) {
      list = new Int32Array(urlsPerList);
      if (this.#count === listsMax) {
        this.#lists = [];
        this.#count = 0;
      }
      this.#lists[at] = list;
      this.#count += 1;
    }
    list[urlId % urlsPerList] = number + 1;
  }
}
