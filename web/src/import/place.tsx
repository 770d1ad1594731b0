import { shortTimeText } from '../lines/time-text.ts';
import { count } from './count.ts';
import { type Item, placeOf, type Target } from './item.ts';
import { lookSoon } from './look-soon.ts';
import { rowsOf, spanOf } from './opened.ts';
import { queue } from './queue.ts';
import { existing } from './there.ts';

/** Where the rows go, and what is there already. */
export function PlaceFields({ item }: { item: Item }) {
  const { topic, streamId } = item.target.value;
  const change = (part: Partial<Target>) => {
    item.target.value = { ...item.target.value, isAdded: false, ...part };
    lookSoon(item);
  };
  const isOneOfMany = queue.value.length > 1;
  return (
    <>
      <div class="choices">
        <label>
          Topic
          <input
            type="text"
            value={topic}
            aria-describedby="topic-reason"
            onInput={(event) => {
              item.topicReason.value = '';
              change({ topic: event.currentTarget.value });
            }}
          />
        </label>
        <label>
          Stream
          <input
            type="text"
            value={streamId}
            onInput={(event) => change({ streamId: event.currentTarget.value, isNamed: true })}
          />
        </label>
        {isOneOfMany && (
          <button type="button" onClick={() => giveAllTheTopic(item)}>
            All files to this topic
          </button>
        )}
      </div>
      <div class="there">
        <p id="topic-reason" class="soft">
          {existing(item) === undefined && item.topicReason.value}
        </p>
        <There item={item} />
      </div>
    </>
  );
}

function giveAllTheTopic(item: Item): void {
  const { topic } = item.target.value;
  for (const other of queue.value) {
    if (other === item || other.step.value.at === 'done') continue;
    other.target.value = { ...other.target.value, topic, isAdded: false };
    other.topicReason.value = '';
    lookSoon(other);
  }
}

function There({ item }: { item: Item }) {
  const info = existing(item);
  const found = item.there.value;
  const { streamId } = placeOf(item);
  if (info === undefined) {
    const isOther = found?.info !== undefined && found.streamId !== streamId && !item.target.value.isNamed;
    return isOther ? (
      <p class="soft">
        There is a stream {found.streamId} already, {contents(found.info!)}: this one gets a free name.
      </p>
    ) : null;
  }
  return (
    <>
      <p class="problem">
        {info.streamId} is there already, {contents(info)}.
      </p>
      <label class="add-rows">
        <input
          type="checkbox"
          checked={item.target.value.isAdded}
          onChange={(event) => {
            item.target.value = { ...item.target.value, isAdded: event.currentTarget.checked };
          }}
        />
        {addText(item)}
      </label>
    </>
  );
}

/** What a stream has, in words. */
function contents({ dataStart, dataEnd, status }: NonNullable<ReturnType<typeof existing>>): string {
  const bin = status === 'SoftDeleted' ? 'in the bin, ' : '';
  if (dataStart === undefined || dataEnd === undefined) return `${bin}without rows`;
  return `${bin}with rows from ${shortTimeText(dataStart)} to ${shortTimeText(dataEnd)}`;
}

/** What adding the rows would do. */
function addText(item: Item): string {
  const info = existing(item);
  const found = item.opened.value;
  const span = found === undefined ? undefined : spanOf(found);
  if (info === undefined || found === undefined || span === undefined) return 'Add the rows to it';
  const { dataStart = span.from, dataEnd = span.to, status } = info;
  const from = span.from < dataStart ? span.from : dataStart;
  const to = span.to > dataEnd ? span.to : dataEnd;
  const bin = status === 'SoftDeleted' ? ' It comes out of the bin.' : '';
  return `Add ${count(rowsOf(found))} to it, from ${shortTimeText(span.from)} to ${shortTimeText(span.to)}. It then has rows from ${shortTimeText(from)} to ${shortTimeText(to)}. Rows of the same time and tags are replaced; this cannot be taken back.${bin}`;
}
