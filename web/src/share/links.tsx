import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { View as SavedView, Share } from '../../../src/client/client.ts';
import { shortTimeText } from '../lines/time-text.ts';
import { client, serviceUrl } from '../session.ts';
import { CopyButton } from './copy-button.tsx';
import { Outcome, tried } from './outcome.tsx';

const dayMs = 86_400_000;
const mostDays = 30;
const ends: readonly (readonly [number, string])[] = [
  [1, 'in a day'],
  [7, 'in a week'],
  [mostDays, 'in 30 days'],
];

/** Read-only links to a view: makes one, lists those that work, revokes them. */
export function Links({ view }: { view: SavedView }) {
  const outcome = useSignal<unknown>(undefined);
  const links = useSignal<readonly Share[]>([]);
  const made = useSignal('');
  const days = useSignal(7);
  const isSharable = view.topic !== undefined && (view.streamIds?.length ?? 0) > 0;

  const list = async () => {
    links.value = await client.peek()!.shares(view.id);
  };
  useEffect(() => {
    if (isSharable) tried(outcome, list);
  }, [view.id]);

  if (!isSharable) {
    return <p class="soft">Only a view of runs of one topic can be shared.</p>;
  }
  const make = () =>
    tried(outcome, async () => {
      made.value = '';
      // The service's own limit, by its own clock.
      const terms = days.value === mostDays ? {} : { expires: new Date(Date.now() + days.value * dayMs) };
      const { url } = await client.peek()!.share(view.id, terms);
      made.value = `${serviceUrl}/${new URL(url).hash}`;
      await list();
    });
  const revoke = (id: string) =>
    tried(outcome, async () => {
      await client.peek()!.revokeShares(view.id, id);
      made.value = '';
      await list();
    });
  return (
    <div class="links">
      <p class="soft">
        Who has the link sees this view as it is saved, and its runs, without a token. Nothing else, and to
        read only.
      </p>
      <p class="buttons">
        <label>
          It ends{' '}
          <select
            value={days.value}
            onChange={(event) => {
              days.value = Number(event.currentTarget.value);
            }}
          >
            {ends.map(([count, text]) => (
              <option key={count} value={count}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={make}>
          Make a link
        </button>
      </p>
      {made.value !== '' && <MadeLink url={made.value} />}
      <Outcome outcome={outcome} />
      {links.value.length > 0 && (
        <ul aria-label={`Links to ${view.name}`}>
          {links.value.map(({ id, createdAt, expires }) => (
            <li key={id}>
              <span>made {isoText(createdAt, 19)},</span> <span>ends {isoText(expires, 16)}</span>{' '}
              <button
                type="button"
                class="quiet"
                aria-label={`Revoke the link made ${isoText(createdAt, 19)}`}
                onClick={() => revoke(id)}
              >
                Revoke
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The link is told this once: the service does not keep its token. */
function MadeLink({ url }: { url: string }) {
  return (
    <p class="buttons">
      <input
        type="text"
        readOnly
        aria-label="Link"
        value={url}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton label="Copy" text={() => url} />
      <span class="soft" role="status">
        Copy it now: it is not shown again.
      </span>
    </p>
  );
}

/** @param length of the text: 16 ends with the minute, 19 with the second */
function isoText(text: string, length: number): string {
  return shortTimeText(BigInt(Date.parse(text)) * 1_000_000n).slice(0, length);
}
