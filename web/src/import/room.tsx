import { count } from './count.ts';
import { placeOf } from './item.ts';
import { closeQueue, phase, queue, readyItems, selected, stopWriting } from './queue.ts';
import { QueueList } from './queue-list.tsx';
import { importReady } from './run-import.ts';
import { Stage, Working } from './stages.tsx';
import { lookAt, Summary } from './summary.tsx';

export { addFiles, closeQueue, phase, queue, stopWriting } from './queue.ts';
export { styled } from './style.ts';

/** From files to streams: what is in them, what is wrong with them, how far they are. */
export function Room() {
  switch (phase.value) {
    case 'asking':
      return <Asking />;
    case 'writing':
      return <Writing />;
    case 'ended':
      return <Ended />;
  }
}

function Asking() {
  const items = queue.value;
  const item = selected.value;
  const isReading = items.some(({ step }) => step.value.at === 'waiting' || 'share' in step.value);
  const ready = readyItems.value.length;
  const isOne = items.length === 1;
  const canImport = items.some(({ step }) => step.value.at === 'ready');
  const left = items.filter(({ step }) => step.value.at !== 'done').length - ready;
  return (
    <>
      <div class={isOne ? 'one-file' : 'queue'}>
        {!isOne && <QueueList />}
        {/* Each file has fields of its own. */}
        <div class="stage">{item !== undefined && <Stage key={item.id} item={item} />}</div>
      </div>
      <div class="buttons" data-unsaved={canImport}>
        {(canImport || !isOne) && (
          <button type="button" class="primary" disabled={ready === 0 || isReading} onClick={importReady}>
            {isOne ? 'Import' : `Import ${count(ready, 'file')}`}
          </button>
        )}
        <button type="button" onClick={closeQueue}>
          {isReading ? 'Stop' : canImport ? 'Cancel' : 'Close'}
        </button>
        {!isOne && !isReading && left > 0 && (
          <span class="soft">
            {left === 1 ? '1 other waits or failed.' : `${left} others wait or failed.`}
          </span>
        )}
      </div>
    </>
  );
}

function Writing() {
  const items = queue.value;
  const now = items.find(({ step }) => 'share' in step.value)?.step.value;
  return (
    <>
      {items.length > 1 && <QueueList />}
      {items.length === 1 && now !== undefined && 'share' in now && <Working step={now} />}
      <div class="buttons" data-unsaved>
        <button type="button" onClick={stopWriting}>
          Stop
        </button>
      </div>
    </>
  );
}

function Ended() {
  const items = queue.value;
  const isOne = items.length === 1;
  const places = items.filter(({ step }) => step.value.at === 'done').map(placeOf);
  return (
    <>
      <Summary />
      <div class="buttons">
        {!isOne && places.length > 1 && (
          <button type="button" class="primary" onClick={() => lookAt(places)}>
            Look at all {places.length}
          </button>
        )}
        <button type="button" onClick={closeQueue}>
          Close
        </button>
      </div>
    </>
  );
}
