import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { edited } from '../channels/edited.ts';
import { hasNumbers, type ParameterEntry } from '../channels/parameter-entry.ts';
import { openParameters } from '../channels/parameters.ts';
import { show, view } from '../state/view.ts';
import { mayWrite } from '../ui/permission.ts';
import { problemText } from '../ui/problem-text.ts';
import { freeName, partsOf, withChannel } from './arranged.ts';
import { asked, checked } from './check.ts';
import { ExpressionField } from './expression-field.tsx';
import { countsFromStart } from './functions.ts';
import { ChannelChanged, type Kept, keep, keepingTopic } from './keep.ts';
import { Keeping } from './keeping.tsx';
import { knownTags } from './known-tags.ts';
import { Removal } from './removal.tsx';

/** A calculated channel: made, or changed. */
export function MathForm() {
  if (edited.value === undefined) return null;
  const { entry } = edited.value;
  return <Editor key={entry?.id ?? ''} entry={entry} />;
}

/** One types no faster than this, in ms: each rest is one request. */
const restMs = 250;

function Editor({ entry }: { entry: ParameterEntry | undefined }) {
  const listed = openParameters.value.value ?? [];
  const taken = useMemo(() => new Set(listed.map(({ id }) => id)), []);
  /** What was seen before: for who cancels. */
  const before = useMemo(() => view.peek(), []);
  const isKept = entry !== undefined && !entry.isOfView;
  /** What the topic is known to keep under its name. */
  const seen = useRef<Kept | undefined>(isKept ? entry : undefined);
  const name = useSignal(entry?.id ?? freeName(taken));
  const unit = useSignal(entry?.unit ?? '');
  const expression = useSignal(entry?.expression ?? '');
  const isToKeep = useSignal(isKept);
  const problem = useSignal('');
  const isBusy = useSignal(false);
  /** Its name in the view, once it is there. */
  const shown = useSignal(entry?.isOfView ? entry.id : undefined);

  const channel = { name: name.value.trim(), unit: unit.value.trim(), expression: expression.value.trim() };
  const first = useMemo(() => JSON.stringify(channel), []);
  const isSame =
    entry?.expression === channel.expression && entry.unit === channel.unit && entry.id === channel.name;
  const isTaken = channel.name !== entry?.id && taken.has(channel.name);
  const { value: check, error } = checked.value;
  const isChecked = check !== undefined && JSON.stringify(check.channel) === JSON.stringify(channel);
  const flaw = isChecked ? (check.flaw ?? check.unknown) : undefined;
  const isGood = isChecked && check.flaw === undefined && channel.name !== '' && !isTaken;

  useEffect(() => {
    const timer = setTimeout(() => {
      asked.value = channel;
    }, restMs);
    return () => clearTimeout(timer);
  }, [channel.name, channel.unit, channel.expression]);
  useEffect(
    () => () => {
      asked.value = undefined;
    },
    [],
  );
  useEffect(() => {
    if (!isGood || isSame) return;
    show(withChannel(view.peek(), channel, shown.peek()), shown.peek() === undefined ? 'push' : 'replace');
    shown.value = channel.name;
  }, [isGood, isSame, check]);

  const close = () => {
    edited.value = undefined;
  };
  const cancel = () => {
    if (shown.value !== undefined) show(partsOf(before), 'settle');
    close();
  };
  const save = async () => {
    if (!isGood) return;
    isBusy.value = true;
    problem.value = '';
    try {
      if (isToKeep.value && !(isKept && isSame)) await keep(keepingTopic.value!, channel, seen.current);
      close();
    } catch (failure) {
      if (failure instanceof ChannelChanged) seen.current = failure.now;
      problem.value = problemText(failure);
    }
    isBusy.value = false;
  };
  const known = useMemo(
    () => ({
      channels: listed.filter((other) => hasNumbers(other) && other.id !== channel.name),
      tags: knownTags.value.value ?? [],
    }),
    [openParameters.value, knownTags.value, channel.name],
  );
  const field = (label: string, text: typeof name, isFixed: boolean) => (
    <label class={label.toLowerCase()}>
      {label}
      <input
        type="text"
        maxLength={200}
        readOnly={isFixed}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
    </label>
  );
  return (
    <form
      class="math"
      data-unsaved={JSON.stringify(channel) !== first}
      aria-label={entry === undefined ? 'New channel' : `Channel ${entry.name}`}
      aria-busy={checked.value.busy || isBusy.value}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') cancel();
      }}
    >
      <ExpressionField text={expression} known={known} flaw={flaw} />
      {countsFromStart(channel.expression) && (
        <p class="soft">Integrals and sums begin at the left edge of what you see.</p>
      )}
      <div class="line">
        {field('Name', name, isKept)}
        {field('Unit', unit, false)}
      </div>
      {isTaken && <p class="problem">Another channel has this name.</p>}
      <Keeping isToKeep={isToKeep} isKept={isKept} />
      <p class="problem" role="alert">
        {problem.value || (error === undefined ? '' : problemText(error))}
      </p>
      <p class="buttons actions">
        <button
          type="submit"
          class="primary"
          disabled={!isGood || isBusy.value || (isToKeep.value && !mayWrite.value)}
        >
          {entry === undefined ? 'Add' : 'Save'}
        </button>
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      </p>
      {entry !== undefined && <Removal entry={entry} onDone={close} />}
    </form>
  );
}
