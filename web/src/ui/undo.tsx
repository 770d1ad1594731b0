import { useEffect } from 'preact/hooks';
import { canRedo, canUndo, redo, undo } from '../state/view.ts';
import { isTyped } from './typed.ts';

/** Buttons that take back changes of what is seen, and make them again. */
export function Undo({ place }: { place: 'beside-modes' | 'beside-strip' }) {
  return (
    <fieldset class={`undo ${place}`} aria-label="Changes of the view">
      <button
        type="button"
        aria-label="Undo"
        title="Undo (Ctrl + Z)"
        disabled={!canUndo.value}
        onClick={undo}
      >
        ↶
      </button>
      <button
        type="button"
        aria-label="Redo"
        title="Redo (Ctrl + Shift + Z)"
        disabled={!canRedo.value}
        onClick={redo}
      >
        ↷
      </button>
    </fieldset>
  );
}

/** The keys for that, wherever the focus is: where one types, they are of the text; in a dialog nothing of the view changes. */
export function useUndoKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const act = actionOf(event);
      if (act === undefined || isTyped(event.target) || document.querySelector('dialog[open]') !== null)
        return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function actionOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): (() => void) | undefined {
  if (!(ctrlKey || metaKey) || altKey) return undefined;
  const letter = key.toLowerCase();
  if (letter === 'z') return shiftKey ? redo : undo;
  return letter === 'y' && !shiftKey ? redo : undefined;
}
