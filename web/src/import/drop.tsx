import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isReadOnly, mayWrite, readOnlyText } from '../ui/permission.ts';
import { importFiles } from './import-dialog.tsx';
import { offeredFiles } from './kinds.ts';

const isOver = signal(false);

/** Files dropped anywhere on the page, or chosen with a button, are imported. */
export function ImportButton() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(watchDrops, []);
  return (
    <>
      <button
        type="button"
        disabled={!mayWrite.value}
        title={isReadOnly.value ? readOnlyText : undefined}
        onClick={() => input.current?.click()}
      >
        Import…
      </button>
      <input
        ref={input}
        type="file"
        accept={offeredFiles}
        multiple
        aria-label="File to import"
        hidden
        onChange={(event) => {
          const chosen = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = '';
          importFiles(chosen);
        }}
      />
      {isOver.value && (
        <div class="drop-hint">{isReadOnly.value ? readOnlyText : 'Drop files to import them'}</div>
      )}
    </>
  );
}

function watchDrops(): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
  const onOver = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    isOver.value = true;
  };
  addEventListener('dragover', onOver, { signal });
  addEventListener(
    'dragleave',
    (event) => {
      if (event.relatedTarget === null) isOver.value = false;
    },
    { signal },
  );
  addEventListener(
    'drop',
    (event) => {
      isOver.value = false;
      const dropped = [...(event.dataTransfer?.files ?? [])];
      if (dropped.length === 0) return;
      event.preventDefault();
      // Before it is known whether the token may write it is taken: the service tells.
      if (!isReadOnly.peek()) importFiles(dropped);
    },
    { signal },
  );
  return () => ending.abort();
}
