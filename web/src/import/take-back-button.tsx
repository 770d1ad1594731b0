import { useSignal } from '@preact/signals';
import type { StreamInfo } from '../../../src/client/client.ts';
import { shortTimeText } from '../lines/time-text.ts';
import { problemText } from '../ui/problem-text.ts';
import { type Item, placeOf } from './item.ts';
import { takeBack, withOthers } from './take-back.ts';

/** Takes an import back. Where others have written to its streams, it asks first: their rows would go, too. */
export function TakeBack({ item }: { item: Item }) {
  const said = useSignal('');
  const isBusy = useSignal(false);
  const shared = useSignal<readonly StreamInfo[]>([]);
  const during = (act: () => Promise<string>) => async () => {
    isBusy.value = true;
    said.value = await act().catch(problemText);
    isBusy.value = false;
  };
  const take = during(async () => {
    const { streamId } = placeOf(item);
    await takeBack(item);
    shared.value = [];
    return `Taken back: stream ${streamId} is in the bin, where it can be restored from.`;
  });
  const ask = during(async () => {
    shared.value = await withOthers(item);
    if (shared.value.length === 0) await take();
    return said.value;
  });
  return (
    <>
      {item.made.value.length > 0 && shared.value.length === 0 && (
        <button type="button" disabled={isBusy.value} onClick={ask}>
          Take it back
        </button>
      )}
      {shared.value.length > 0 && (
        <>
          <p class="problem" role="alert">
            {shared.value.map(othersText).join(' ')} It would go into the bin, too.
          </p>
          <button type="button" disabled={isBusy.value} onClick={take}>
            Put all of it into the bin
          </button>
          <button
            type="button"
            disabled={isBusy.value}
            onClick={() => {
              shared.value = [];
            }}
          >
            Leave it there
          </button>
        </>
      )}
      <span role="status">{said.value}</span>
    </>
  );
}

function othersText({ streamId, lastUpdate }: StreamInfo): string {
  const last = shortTimeText(BigInt(Date.parse(lastUpdate)) * 1_000_000n);
  return `Stream ${streamId} has more than this import wrote; the last of it came at ${last}.`;
}
