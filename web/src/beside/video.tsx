import { effect, type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { parseTime, shortTimeText, timeText } from '../lines/time-text.ts';
import { clockWords } from '../lines/zone.ts';
import { DraftField } from '../ui/draft-field.tsx';
import {
  begin,
  beginAt,
  cursorToFilm,
  film,
  filmAtCursor,
  filmToA,
  hasA,
  nanoseconds,
  openFilm,
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
        <BeginField />
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

function BeginField() {
  const time = begin.value;
  return (
    <DraftField
      class="begin"
      label={`Begins at (${clockWords()})`}
      title={time === undefined ? undefined : timeText(time)}
      value={time === undefined ? '' : shortTimeText(time)}
      whole={time === undefined ? '' : timeText(time)}
      onCommit={(text) => {
        const typed = parseTime(text);
        if (typeof typed === 'string') return typed;
        beginAt(typed);
        return undefined;
      }}
    />
  );
}

/** Nearer than this the film is where the cursor is, seconds: less than a frame. */
const close = 0.015;
const frameSeconds = 0.04;

function Film({ url, name, isLinked }: { url: string; name: string; isLinked: boolean }) {
  const host = useRef<HTMLVideoElement>(null);
  const problem = useSignal('');
  const ends = useSignal('');
  // At once: who takes the tick away means the next move, too.
  useLayoutEffect(() => {
    const video = host.current!;
    return isLinked ? inStep(video, ends) : undefined;
  }, [isLinked]);
  const step = (by: number) => {
    const video = host.current!;
    video.pause();
    video.currentTime = Math.max(0, video.currentTime + by);
  };
  return (
    <>
      <div class="screen">
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
        <p class="ends" role="status">
          {ends.value}
        </p>
      </div>
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

/**
 * The film goes where the cursor goes; where it plays, or is moved by its own controls, the cursor goes with it.
 * @param ends is told what stands on a film that has no frame at the cursor
 */
function inStep(video: HTMLVideoElement, ends: Signal<string>): () => void {
  /** Where it was sent by the cursor; what it says of that moves nothing. */
  let sentTo: number | undefined;
  let frame = 0;
  const send = (): void => {
    const at = filmAtCursor.peek();
    const isStill = at !== undefined && video.paused && video.readyState > 0;
    ends.value = isStill ? endText(at, video.duration) : '';
    if (!isStill || video.seeking) return;
    const inside = Math.max(0, Math.min(at, video.duration));
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
    ends.value = '';
    cancelAnimationFrame(frame);
    video.removeEventListener('play', onPlay);
    video.removeEventListener('seeked', onSeeked);
    video.removeEventListener('loadedmetadata', send);
  };
}

/** What is said where a film has no frame: its first or last one stands there. */
function endText(at: number, duration: number): string {
  const first = begin.peek()!;
  if (at < -close) return `The film begins at ${shortTimeText(first)}.`;
  return at > duration + close ? `The film ended at ${shortTimeText(first + nanoseconds(duration))}.` : '';
}
