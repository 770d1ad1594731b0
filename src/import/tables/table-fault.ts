import { plainText } from '../text/text-layout.ts';

/** What keeps a table from being read; the message names row and column. */
export class TableFault extends Error {
  constructor(message: string) {
    super(plainText(message));
    this.name = 'TableFault';
  }
}
