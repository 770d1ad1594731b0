import { openParameters } from '../channels/parameters.ts';
import { streams, view } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { lapSource, refusedChannels, whyNoLaps } from './lap-source.ts';

/** Says that nothing counts laps, and why not what seems to. */
export function NoLaps() {
  const { kind } = lapSource.value;
  const nameOf = (channel: string) =>
    openParameters.value.value?.find(({ id }) => id === channel)?.name ?? channel;
  return (
    <>
      <p class="soft">
        {kind === 'none'
          ? view.value.lapsBy === undefined
            ? 'No tag and no channel counts laps here. Others can be chosen above.'
            : 'No laps were chosen.'
          : whyNoLaps(streams.value[0]!)}
      </p>
      {kind === 'none' &&
        refusedChannels.value.map(({ channel, why }) => (
          <p key={channel} class="soft">
            The channel <b>{nameOf(channel)}</b> is not taken for one that counts laps: {why}.
          </p>
        ))}
    </>
  );
}

/** Says why a run has no laps beside others that have some. */
export function WhyNone({ name, stream }: { name: string; stream: StreamRef }) {
  return (
    <p class="soft">
      {name}: no laps. {whyNoLaps(stream)}
    </p>
  );
}
