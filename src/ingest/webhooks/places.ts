/** Bounds the tries that are under way, so that slow receivers hold up nobody but themselves. */
export interface Places {
  /** Whether there is none for this receiver now. */
  isFull(receiver: string, hasFailed: boolean): boolean;
  /** Undefined where there is none for this receiver now. */
  take(receiver: string, hasFailed: boolean): { leave(): void } | undefined;
}

const most = 256;
const mostOfReceiver = 8;
/** The most places of those that failed the last time: the others are for those who may answer. */
const mostAgain = 128;

export function createPlaces(): Places {
  const ofReceivers = new Map<string, number>();
  let taken = 0;
  let again = 0;

  const isFull = (receiver: string, hasFailed: boolean): boolean =>
    taken >= most || (hasFailed && again >= mostAgain) || (ofReceivers.get(receiver) ?? 0) >= mostOfReceiver;

  return {
    isFull,
    take(receiver, hasFailed) {
      if (isFull(receiver, hasFailed)) return undefined;
      taken++;
      if (hasFailed) again++;
      ofReceivers.set(receiver, (ofReceivers.get(receiver) ?? 0) + 1);
      return {
        leave() {
          taken--;
          if (hasFailed) again--;
          const left = ofReceivers.get(receiver)! - 1;
          if (left === 0) ofReceivers.delete(receiver);
          else ofReceivers.set(receiver, left);
        },
      };
    },
  };
}
