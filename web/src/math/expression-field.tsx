import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import { type Completion, completionsAt, helpAt, type Known } from './completion.ts';
import type { Flaw } from './flaw.ts';

/** The text of an expression: names are completed as one types, and what is wrong is marked at its place. */
export function ExpressionField({
  text,
  known,
  flaw,
}: {
  text: Signal<string>;
  known: Known;
  flaw: Flaw | undefined;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const caret = useSignal(0);
  const chosen = useSignal(0);
  const isOpen = useSignal(false);
  const offers = useMemo(
    () => completionsAt(text.value, caret.value, known),
    [text.value, caret.value, known],
  );
  const isShown = isOpen.value && offers.length > 0;
  const help = helpAt(text.value, caret.value);

  useEffect(() => field.current!.focus(), []);
  const look = (opens: boolean) => {
    caret.value = field.current!.selectionStart;
    isOpen.value = opens;
    chosen.value = 0;
  };
  const take = ({ from, to, insert }: Completion) => {
    const element = field.current!;
    element.setRangeText(insert, from, to, 'end');
    text.value = element.value;
    look(false);
    element.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isTaken = event.key === 'Tab' || (event.key === 'Enter' && !event.shiftKey);
    if (isShown && by !== undefined) chosen.value = (chosen.value + by + offers.length) % offers.length;
    else if (isShown && isTaken && !event.shiftKey) take(offers[chosen.value]!);
    else if (isShown && event.key === 'Escape') isOpen.value = false;
    else if (event.key === 'Enter') field.current!.form!.requestSubmit();
    else if (event.ctrlKey && event.key === ' ') look(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="expression">
      <label for={`${id}-text`}>Expression</label>
      <textarea
        ref={field}
        id={`${id}-text`}
        rows={3}
        maxLength={1024}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        placeholder='derivative(Speed) or "Oil Temp" - 20'
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={`${id}-offers`}
        aria-activedescendant={isShown ? `${id}-${chosen.value}` : undefined}
        aria-invalid={flaw !== undefined}
        aria-describedby={`${id}-flaw ${id}-help`}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          look(true);
        }}
        onKeyDown={onKey}
        onKeyUp={() => {
          const now = field.current!.selectionStart;
          if (now !== caret.value) look(false);
        }}
        onClick={() => look(false)}
        onBlur={() => {
          isOpen.value = false;
        }}
      />
      <div id={`${id}-offers`} class="offers" role="listbox" aria-label="Names" hidden={!isShown}>
        {offers.map((offer, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys choose in the field
          <div
            key={offer.label}
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === chosen.value}
            // Else the field loses the focus first.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(offer)}
          >
            <code>{offer.label}</code> <span class="soft">{offer.help}</span>
          </div>
        ))}
      </div>
      <p id={`${id}-help`} class="soft help">
        {help !== undefined && (
          <>
            <code>
              {help.name}({help.operands})
            </code>
            : {help.help}
          </>
        )}
      </p>
      <FlawText id={`${id}-flaw`} text={text.value} flaw={flaw} />
    </div>
  );
}

/** The expression once more, with its flaw marked, and what is wrong there. */
function FlawText({ id, text, flaw }: { id: string; text: string; flaw: Flaw | undefined }) {
  const { place } = flaw ?? {};
  return (
    <div id={id} role="status">
      {place !== undefined && (
        <code class="flawed">
          {text.slice(0, place.start)}
          <mark>{text.slice(place.start, place.end) || '␣'}</mark>
          {text.slice(place.end)}
        </code>
      )}
      {flaw !== undefined && <p class="problem">{flaw.message}</p>}
    </div>
  );
}
