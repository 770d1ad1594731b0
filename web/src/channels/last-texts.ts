import { refreshes } from '../runs/found.ts';
import { client } from '../session.ts';
import { stable } from '../state/stable.ts';
import { isLive, streams } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { afterwards } from '../ui/turns.ts';
import { isWrittenIn } from './parameter-entry.ts';
import { openParameters } from './parameters.ts';

/** So many channels a request. */
const together = 400;
/** Of a longer text the beginning is shown. */
const mostLetters = 12;

const names = stable(() => {
  const [first] = streams.value;
  return (openParameters.value.value ?? [])
    .filter((entry) => entry.type === 'String' && first !== undefined && isWrittenIn(entry, first))
    .map(({ id }) => id);
});

/** The last value of each text channel of the first open run; while live data is followed it is read with the list of runs. */
const lastTexts = loaded<ReadonlyMap<string, string>>(() => {
  const service = client.value;
  const [stream] = streams.value;
  const ids = names.value;
  if (isLive.value) refreshes.value;
  if (service === undefined || stream === undefined || ids.length === 0) return undefined;
  const { topic, streamId } = stream;
  return afterwards(async (signal) => {
    const found = new Map<string, string>();
    for (let from = 0; from < ids.length; from += together) {
      const stringParameters = ids
        .slice(from, from + together)
        .map((parameterName) => ({ parameterName, aggregationType: 'Last' as const }));
      const { stringValues } = await service.query(
        { topic, streamIds: [streamId], stringParameters },
        { signal },
      );
      for (const { parameterName } of stringParameters) {
        const text = stringValues[`last(${parameterName})`]?.[0];
        if (text != null) found.set(parameterName, text);
      }
    }
    return found;
  });
});

/** As far as it fits into a row of the list. */
export function lastTextOf(id: string): string {
  const text = lastTexts.value.value?.get(id) ?? '';
  const letters = [...text];
  return letters.length > mostLetters ? `${letters.slice(0, mostLetters - 1).join('')}…` : text;
}
