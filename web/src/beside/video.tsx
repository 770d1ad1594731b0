import { effect, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { number } from '../state/text-parts.ts';
import { DraftField } from '../ui/draft-field.tsx';
import {
  cursorToFilm,
  film,
  filmAtCursor,
  filmToA,
  hasA,
  offset,
  openFilm,
  setOffset,
} from './video-time.ts';

/** A film of a run, from a file of this machine, in step with the cursor of the plots. */
export function VideoPanel() {
  const input = useRef<HTMLInputElement>(null);
  const isLinked = useSignal(true);
  const now = film.value;
  return (
    <section class={now === undefined ? 'video none' : 'video'} aria-label="Video">
      <div class="choices">
        <button type="button" onClick={() => input.current?.click()}>
          {now === undefined ? 'Open a file…' : 'Another file…'}
        </button>
        <input
          ref={input}
          type="file"
          accept="video/*,audio/*"
          aria-label="Video file"
          hidden
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            event.currentTarget.value = '';
            if (file !== undefined) openFilm(file);
          }}
        />
        <DraftField
          class="offset"
          label="Begins after (s)"
          title="How many seconds after the first row of the run the film begins; less than 0: before it"
          value={String(offset.value)}
          onCommit={(text) => {
            const seconds = number(text.replace(',', '.'));
            if (seconds === undefined || Math.abs(seconds) > 1e7) return 'Seconds, such as 12.5 or -3';
            setOffset(seconds);
            return undefined;
          }}
        />
        <label class="choice">
          <input
            type="checkbox"
            checked={isLinked.value}
            onChange={() => {
              isLinked.value = !isLinked.value;
            }}
          />
          in step
        </label>
      </div>
      {now === undefined ? (
        <p class="soft">The file is played in this tab. It is sent nowhere.</p>
      ) : (
        <Film key={now.url} url={now.url} name={now.name} isLinked={isLinked.value} />
      )}
    </section>
  );
}

/** Nearer than this the film is where the cursor is, seconds: less than a frame. */
const close = 0.015;
const frameSeconds = 0.04;

function Film({ url, name, isLinked }: { url: string; name: string; isLinked: boolean }) {
  const host = useRef<HTMLVideoElement>(null);
  const problem = useSignal('');
  // At once: who takes the tick away means the next move, too.
  useLayoutEffect(() => {
    const video = host.current!;
    return isLinked ? inStep(video) : undefined;
  }, [isLinked]);
  const step = (by: number) => {
    const video = host.current!;
    video.pause();
    video.currentTime = Math.max(0, video.currentTime + by);
  };
  return (
    <>
      <video
        ref={host}
        src={url}
        controls
        muted
        playsInline
        aria-label={name}
        onError={() => {
          problem.value = `This browser cannot play ${name}.`;
        }}
      />
      <p class="problem" role="alert">
        {problem.value}
      </p>
      <p class="buttons">
        <button type="button" aria-label="A frame back" onClick={() => step(-frameSeconds)}>
          ◂
        </button>
        <button type="button" aria-label="A frame on" onClick={() => step(frameSeconds)}>
          ▸
        </button>
        <button
          type="button"
          disabled={!hasA.value}
          title={hasA.value ? 'The film is moved so that this frame is at A' : 'Set the cursor A first'}
          onClick={() => filmToA(host.current!.currentTime)}
        >
          This frame is at A
        </button>
      </p>
    </>
  );
}

/** The film goes where the cursor goes; where it plays, or is moved by its own controls, the cursor goes with it. */
function inStep(video: HTMLVideoElement): () => void {
  /** Where it was sent by the cursor; what it says of that moves nothing. */
  let sentTo: number | undefined;
  let frame = 0;
  const send = (): void => {
    const at = filmAtCursor.peek();
    if (at === undefined || !video.paused || video.seeking || video.readyState === 0) return;
    const inside = Math.min(Math.max(0, at), Number.isFinite(video.duration) ? video.duration : at);
    if (Math.abs(inside - video.currentTime) < close) return;
    sentTo = inside;
    video.currentTime = inside;
  };
  const end = effect(() => {
    filmAtCursor.value;
    send();
  });
  const play = (): void => {
    if (video.paused || video.ended) return;
    cursorToFilm(video.currentTime);
    frame = requestAnimationFrame(play);
  };
  const onPlay = (): void => {
    cancelAnimationFrame(frame);
    play();
  };
  const onSeeked = (): void => {
    const isOwn = sentTo === undefined || Math.abs(sentTo - video.currentTime) > close;
    sentTo = undefined;
    if (isOwn && video.paused) cursorToFilm(video.currentTime);
    // The cursor may have gone on meanwhile.
    else send();
  };
  video.addEventListener('play', onPlay);
  video.addEventListener('seeked', onSeeked);
  video.addEventListener('loadedmetadata', send);
  return () => {
    end();
    cancelAnimationFrame(frame);
    video.removeEventListener('play', onPlay);
    video.removeEventListener('seeked', onSeeked);
    video.removeEventListener('loadedmetadata', send);
  };
}
