/** A frame of a CAN bus that carries data. */
export interface CanFrame {
  /** Nanoseconds since the Unix epoch, or since the start of a log that does not tell it. */
  readonly time: bigint;
  /** Its bus as people name it, such as `CAN1` or `can0`. */
  readonly bus: string;
  readonly id: number;
  /** Whether the id has 29 bits. */
  readonly isExtended: boolean;
  /** Only until the next frame is asked for. */
  readonly data: Uint8Array;
}

/** Lengths that the length code of CAN FD stands for. */
const lengths = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64];

/** Returns the bytes of data that a length code from 0 to 15 stands for: more than 8 in CAN FD only. */
export function lengthOfCode(code: number, isFd: boolean): number {
  return isFd ? (lengths[code] ?? 64) : Math.min(code, 8);
}
