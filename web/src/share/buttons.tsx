import { isListed, isSharing } from './opened.ts';

export function ViewsButton() {
  return (
    <button
      type="button"
      onClick={() => {
        isListed.value = true;
      }}
    >
      Views
    </button>
  );
}

export function ShareButton() {
  return (
    <button
      type="button"
      class="share-button"
      onClick={() => {
        isSharing.value = true;
      }}
    >
      Share
    </button>
  );
}
