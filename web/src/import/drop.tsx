import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { beginImport } from './import-state.ts';

const isOver = signal(false);

/** A CSV file dropped anywhere on the page, or chosen with a button, is imported. */
export function ImportButton() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(watchDrops, []);
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        Import CSV…
      </button>
      <input
        ref={input}
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        aria-label="CSV file to import"
        hidden
        onChange={(event) => {
          const [chosen] = event.currentTarget.files ?? [];
          event.currentTarget.value = '';
          if (chosen !== undefined) beginImport(chosen);
        }}
      />
      {isOver.value && <div class="drop-hint">Drop a CSV file to import it</div>}
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
      const [dropped] = event.dataTransfer?.files ?? [];
      if (dropped === undefined) return;
      event.preventDefault();
      beginImport(dropped);
    },
    { signal },
  );
  return () => ending.abort();
}
