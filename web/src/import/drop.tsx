import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isReadOnly, mayWrite, readOnlyText } from '../ui/permission.ts';
import { beginImport } from './import-state.ts';

const isOver = signal(false);

const extensions = '.csv,.tsv,.txt,.vbo,.lvm,.asc,.ascii,.ld,.ldx,.mf4,.mcap';

/** A file dropped anywhere on the page, or chosen with a button, is imported. */
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
        accept={extensions}
        multiple
        aria-label="File to import"
        hidden
        onChange={(event) => {
          const chosen = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = '';
          beginImport(chosen);
        }}
      />
      {isOver.value && (
        <div class="drop-hint">{isReadOnly.value ? readOnlyText : 'Drop a file to import it'}</div>
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
      if (!isReadOnly.peek()) beginImport(dropped);
    },
    { signal },
  );
  return () => ending.abort();
}
