import { counted } from './column-facts.ts';
import { nsOfDay } from './dates.ts';
import type { FoundCells } from './text-layout.ts';

/** Finds clocks that go back by more than half a day while the day beside them stays the same, as where a file has the day of its start in all rows. */
export class StayingDays {
  found: FoundCells | undefined;
  #time: bigint | undefined;
  #beside = '';

  /**
   * @param beside the day of the row, and its tags
   * @param clock as the file has it
   */
  see(time: bigint, beside: string, line: number, clock: string): void {
    if (this.#time !== undefined && beside === this.#beside && time < this.#time - nsOfDay / 2n)
      this.found = counted(this.found, line, clock);
    this.#time = time;
    this.#beside = beside;
  }
}
