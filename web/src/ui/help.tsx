import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { CloseButton, Modal } from './modal.tsx';
import { isTyped } from './typed.ts';

const keys: readonly (readonly [string, string])[] = [
  ['← →', 'move the cursor to the next row'],
  ['Shift + ← →', 'move along the axis; Page up and Page down by half'],
  ['+ −', 'zoom in and out'],
  ['0', 'show all data'],
  ['[ ]', 'set the cursors A and B; Escape takes them away'],
  ['N', 'write a note at the cursor, or at A'],
  ['M', 'over distance and on the map: end a sector at the cursor, or take the end away'],
  ['o, Shift + o', 'go to the next place outside of limits, or the one before'],
  ['Ctrl + Z', 'take back the last change of what you see; Ctrl + Shift + Z makes it again'],
  ['1 … 9', 'go to a sheet of the view, wherever the focus is'],
  ['?', 'this page'],
];
const hands: readonly (readonly [string, string])[] = [
  ['click, Shift + click', 'set the cursors A and B; with a finger, press long'],
  ['wheel, or pinch', 'zoom around the pointer'],
  ['drag; Shift + wheel, or sideways', 'move along the axis'],
  ['Shift + drag, or the middle button', 'zoom to what is selected'],
  ['on the axis below', 'drag to move; a click brings its place to the middle'],
  ['double click', 'show all data; on the scale of an axis: fit it'],
  ['on the map', 'point to move the cursor; drag along the way to zoom to a stretch'],
  ['one finger, two fingers', 'move, zoom'],
];

const isAsked = signal(false);

/** Opens the page of keys and gestures. */
export function HelpButton() {
  return (
    <button
      type="button"
      onClick={() => {
        isAsked.value = true;
      }}
    >
      Keys and gestures
    </button>
  );
}

/** Keys and gestures, behind a button and the key `?`. */
export function Help() {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '?' || isTyped(event.target)) return;
      event.preventDefault();
      isAsked.value = true;
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <Modal
      id="help-title"
      title="Keys and gestures"
      isOpen={isAsked.value}
      onClose={() => {
        isAsked.value = false;
      }}
    >
      <p class="soft">
        Keys work where the plots have the focus: Tab goes there, or a click. Ctrl + Z and ? work everywhere.
      </p>
      <Pairs pairs={keys} />
      <Pairs pairs={hands} />
      <p class="soft">
        The address holds all that you see: send it to someone who has a token, too. A view that you save
        under Views can be shared with anyone.
      </p>
      <CloseButton />
    </Modal>
  );
}

function Pairs({ pairs }: { pairs: readonly (readonly [string, string])[] }) {
  return (
    <dl class="pairs">
      {pairs.map(([name, text]) => (
        <div key={name} class="pair">
          <dt>
            <kbd>{name}</kbd>
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
