import { type MessageTime, messageTimes } from '../../../src/import/mcap/message-time.ts';
import type { Item } from './item.ts';
import type { OpenedLog } from './opened.ts';
import { reopenMessages } from './queue.ts';

const timesText: Readonly<Record<MessageTime, string>> = {
  log: 'when they were recorded',
  publish: 'when they were sent',
  stamp: 'what they say themselves (header.stamp, timestamp)',
};

/** The channels of a logger's file, to be taken or left out. */
export function ChannelsTable({ item, found }: { item: Item; found: OpenedLog }) {
  const { log, without } = found;
  const lines = log.tables.flatMap(({ channels, rows, name }) =>
    channels.map((channel) => ({ ...channel, rows, table: name })),
  );
  const set = (names: readonly string[], isTaken: boolean) => {
    const others = new Set(without);
    for (const name of names) {
      if (isTaken) others.delete(name);
      else others.add(name);
    }
    item.opened.value = { ...found, without: others };
  };
  const names = lines.map(({ name }) => name);
  return (
    <>
      {found.messageTime !== undefined && (
        <div class="choices">
          <label>
            Times of messages
            <select
              value={found.messageTime}
              onChange={(event) => reopenMessages(item, event.currentTarget.value as MessageTime)}
            >
              {messageTimes.map((time) => (
                <option key={time} value={time}>
                  {timesText[time]}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="scroll" tabIndex={0}>
        <table class="columns">
          <caption class="soft">
            {lines.filter(({ name }) => !without.has(name)).length} of {lines.length}{' '}
            {lines.length === 1 ? 'channel' : 'channels'}
          </caption>
          <thead>
            <tr>
              <th scope="col">
                <input
                  type="checkbox"
                  aria-label="All channels"
                  checked={without.size === 0}
                  onChange={(event) => set(names, event.currentTarget.checked)}
                />
              </th>
              <th scope="col">Channel</th>
              <th scope="col">Unit</th>
              <th scope="col">Rows</th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ name, unit, rows, isText }) => (
              <tr key={`${name} ${isText === true}`}>
                <td>
                  <input
                    type="checkbox"
                    aria-label={name}
                    checked={!without.has(name)}
                    onChange={(event) => set([name], event.currentTarget.checked)}
                  />
                </td>
                <th scope="row">{name}</th>
                <td>{unit}</td>
                <td>{rows.toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {log.faults?.map((fault) => (
        <p key={fault} class="problem" role="alert">
          Left out, for it has a fault: {fault}
        </p>
      ))}
      {(log.faults ?? []).length > 0 && (
        <label>
          <input
            type="checkbox"
            checked={found.isPartial}
            onChange={(event) => {
              item.opened.value = { ...found, isPartial: event.currentTarget.checked };
            }}
          />
          Import the rest, without what has a fault
        </label>
      )}
      {log.notes?.map((note) => (
        <p key={note} class="soft">
          {note}
        </p>
      ))}
      {log.leftOut.length > 0 && <p class="soft">Not read: {log.leftOut.join(', ')}</p>}
    </>
  );
}
