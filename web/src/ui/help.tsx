import { useEffect, useRef } from 'preact/hooks';

const keys: readonly (readonly [string, string])[] = [
  ['← →', 'move along the axis, by half of what is seen with Shift'],
  ['+ −', 'zoom in and out'],
  ['0', 'show all data'],
  ['?', 'this page'],
];
const hands: readonly (readonly [string, string])[] = [
  ['drag', 'zoom to what is selected'],
  ['Ctrl + wheel, or pinch', 'zoom around the pointer'],
  ['Shift + wheel, or sideways', 'move along the axis'],
  ['double click', 'show all data'],
  ['one finger, two fingers', 'move, zoom'],
];

/** Keys and gestures, behind a button and the key `?`. */
export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '?' || isTyped(event.target)) return;
      event.preventDefault();
      if (!dialog.current?.open) dialog.current?.showModal();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button type="button" aria-label="Keys and gestures" onClick={() => dialog.current?.showModal()}>
        ?
      </button>
      <dialog ref={dialog} aria-labelledby="help-title">
        <h2 id="help-title">Keys and gestures</h2>
        <p class="soft">Keys work where the plots have the focus: Tab goes there, or a click.</p>
        <Pairs pairs={keys} />
        <Pairs pairs={hands} />
        <p class="soft">The address holds all that you see: send it to someone who has a token, too.</p>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
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

function isTyped(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}
