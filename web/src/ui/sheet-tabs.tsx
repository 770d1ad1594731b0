import { computed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { movedSheet, renamed, toSheet, withoutSheet, withSheet } from '../state/sheets.ts';
import { show, view } from '../state/view.ts';
import type { View } from '../state/view-text.ts';
import { DraftField } from './draft-field.tsx';
import { PopupMenu } from './popup-menu.tsx';
import { isTyped } from './typed.ts';

const sheets = computed(() => view.value.sheets);
const place = computed(() => view.value.sheet);

function change(next: Partial<View>): void {
  if (Object.keys(next).length > 0) show(next);
}

/** Pages of the view: tabs below the plots, which keys choose too. */
export function SheetTabs() {
  useSheetKeys();
  const all = sheets.value;
  return (
    <nav class="sheet-tabs" aria-label="Sheets">
      {all.map(({ name }, i) => (
        <button
          key={`${i} ${name}`}
          type="button"
          class="quiet"
          aria-current={i === place.value ? 'page' : undefined}
          title={i < 9 ? `Key ${i + 1}` : undefined}
          onClick={() => change(toSheet(view.peek(), i))}
        >
          {name}
        </button>
      ))}
      {all.length > 0 && <SheetMenu at={place.value} />}
      <button
        type="button"
        class="quiet"
        title="A new page of this view, which begins as what you see"
        onClick={() => change(withSheet(view.peek()))}
      >
        + sheet
      </button>
    </nav>
  );
}

/** Name and place of the sheet that is shown. */
function SheetMenu({ at }: { at: number }) {
  const { name = '' } = sheets.value[at] ?? {};
  return (
    <PopupMenu title={`Change ${name}`} sign="⋮" button="quiet" kind="axis-menu sheet-menu">
      {(close) => <SheetFields at={at} name={name} onRemove={close} />}
    </PopupMenu>
  );
}

function SheetFields({ at, name, onRemove }: { at: number; name: string; onRemove: () => void }) {
  return (
    <>
      <DraftField
        label="Name"
        value={name}
        onCommit={(text) => {
          if (text === '') return 'Type a name';
          show({ ...renamed(view.peek(), at, text) });
          return undefined;
        }}
      />
      <div class="buttons">
        <button type="button" disabled={at === 0} onClick={() => change(movedSheet(view.peek(), at, -1))}>
          ← Move
        </button>
        <button
          type="button"
          disabled={at === sheets.value.length - 1}
          onClick={() => change(movedSheet(view.peek(), at, 1))}
        >
          Move →
        </button>
        <button
          type="button"
          onClick={() => {
            onRemove();
            change(withoutSheet(view.peek(), at));
          }}
        >
          Remove
        </button>
      </div>
    </>
  );
}

/** 1 to 9 choose a sheet, wherever the focus is, but for where one types or chooses. */
function useSheetKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!/^[1-9]$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
      const isChosen = isTyped(event.target) || event.target instanceof HTMLSelectElement;
      if (isChosen || document.querySelector('dialog[open]') !== null) return;
      const next = toSheet(view.peek(), Number(event.key) - 1);
      if (Object.keys(next).length === 0) return;
      event.preventDefault();
      show(next);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
