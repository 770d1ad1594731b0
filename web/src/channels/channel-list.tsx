import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { shortText } from '../lines/reading.ts';
import { Swatch } from '../lines/swatch.tsx';
import { valueName } from '../lines/value-names.ts';
import { plots, show } from '../state/view.ts';
import { Problem, replacing } from '../ui/notice.tsx';
import { mayWrite } from '../ui/permission.ts';
import { VirtualList } from '../ui/virtual-list.tsx';
import { channelType, without } from './arrange.ts';
import { type ChannelLine, channelLines } from './channel-lines.ts';
import { CutName, isCut } from './cut-name.tsx';
import { edited } from './edited.ts';
import { lastTextOf } from './last-texts.ts';
import { limitsOf, limitsText, outside } from './limits.ts';
import { areOfChannels, channelLook } from './looks.ts';
import { hasNumbers, type ParameterEntry } from './parameter-entry.ts';
import { openParameters } from './parameters.ts';
import { isText, statesWith } from './plotted.ts';
import { favourites, toggleFavourite } from './remembered.ts';
import { SparkLine } from './spark-line.tsx';
import { sparkOf } from './sparks.ts';
import { turnBranch, turned } from './turned.ts';

/** Channels of the open runs by location, favourites first; a click shows or hides one in a plot of its own. */
export function ChannelList() {
  const { value, error, retry } = openParameters.value;
  const filter = useSignal('');
  const starred = favourites.value;
  const lines = useMemo(
    () => channelLines(value ?? [], filter.value, starred, turned.value),
    [value, filter.value, starred, turned.value],
  );
  const problem = replacing(error, value !== undefined);
  if (problem !== undefined) return <Problem error={problem} onRetry={retry} isAll />;
  return (
    <section class="channels" aria-label="Channels">
      <input
        type="search"
        placeholder="Filter channels"
        aria-label="Filter channels"
        value={filter.value}
        onInput={(event) => {
          filter.value = event.currentTarget.value;
        }}
      />
      {value?.length === 0 && <p class="soft">These runs have no channels yet.</p>}
      {value !== undefined && value.length > 0 && lines.length === 0 && (
        <p class="soft">No channel has all of these words.</p>
      )}
      <VirtualList
        label="Channels found"
        items={lines}
        keyOf={keyOfLine}
        heightOf={heightOfLine}
        render={renderLine}
      />
    </section>
  );
}

function keyOfLine(line: ChannelLine): string {
  return line.group === undefined
    ? `${line.isStarred} ${line.entry.type} ${line.entry.id}`
    : `group ${line.path}`;
}

/** Pixels. */
function heightOfLine(line: ChannelLine): number {
  return line.group === undefined ? 34 : 26;
}

function renderLine(line: ChannelLine) {
  return line.group === undefined ? (
    <ChannelItem entry={line.entry} label={line.label} depth={line.depth} />
  ) : (
    <button
      type="button"
      class="quiet group"
      aria-label={line.isOpen ? line.group : `${line.group} ${line.count}`}
      aria-expanded={line.isOpen}
      style={{ '--depth': line.depth }}
      onClick={() => turnBranch(line.path)}
    >
      <CutName name={line.group} />
      {!line.isOpen && <span class="soft">{line.count}</span>}
    </button>
  );
}

const textOfNumber =
  'This text has the name of a channel of numbers. Plots show the numbers; the text stands under Rows and in files.';

function ChannelItem({ entry, label, depth }: { entry: ParameterEntry; label: string; depth: number }) {
  const { id, type, unit, description } = entry;
  const isOfNumber = type === 'String' && !isText(id);
  const canPlot = type !== 'Binary' && !isOfNumber;
  const isShown = canPlot && plots.value.some((parameters) => parameters.includes(id));
  const spark = hasNumbers(entry) ? sparkOf(id) : undefined;
  const isStarred = favourites.value.includes(id);
  const own = type === 'Numeric' ? limitsOf(id) : undefined;
  const left = hasNumbers(entry) ? outside.value.get(id) : undefined;
  return (
    <div class={`channel ${entry.type === 'Calculated' ? 'calculated' : ''}`} style={{ '--depth': depth }}>
      <label
        class="parameter"
        title={[
          entry.name,
          isOfNumber ? textOfNumber : '',
          description,
          own === undefined ? '' : limitsText(own),
          entry.expression,
        ]
          .filter((text) => text !== '')
          .join('\n')}
        draggable={canPlot}
        onDragStart={(event) => event.dataTransfer?.setData(channelType, id)}
      >
        <input
          type="checkbox"
          aria-label={isCut(label) || label !== entry.name ? entry.name : undefined}
          checked={isShown}
          disabled={!canPlot}
          onChange={() =>
            show(
              isShown
                ? { plots: without(plots.value, id) }
                : { plots: [...plots.value, [id]], states: statesWith(id) },
            )
          }
        />
        <span class="name">
          {isShown && areOfChannels.value && hasNumbers(entry) && <Swatch look={channelLook(id)} />}
          {label !== entry.name && <span class="unseen">{entry.name.slice(0, -label.length)}</span>}
          <CutName name={label} />
          {left !== undefined && own !== undefined && (
            <span class="outside" title={`Leaves ${limitsText(own)}: ${left.low} … ${left.high}`}>
              {' '}
              ⚠<span class="unseen"> leaves its limits in the range that is seen</span>
            </span>
          )}
        </span>
        {spark?.last !== undefined && <SparkLine spark={spark} />}
        <span class="value">
          {spark?.last === undefined
            ? type === 'String' && lastTextOf(id)
            : (valueName(id, spark.last) ?? shortText(spark.last))}{' '}
          <span class="soft">{hasNumbers(entry) ? unit : type}</span>
        </span>
      </label>
      {entry.type === 'Calculated' && (entry.isOfView || mayWrite.value) && (
        <button
          type="button"
          class="quiet edit"
          aria-label={`Edit ${entry.name}`}
          title={entry.expression}
          disabled={edited.value !== undefined}
          onClick={() => {
            edited.value = { entry };
          }}
        >
          ƒ
        </button>
      )}
      <button
        type="button"
        class="quiet star"
        aria-pressed={isStarred}
        aria-label={`Favourite: ${entry.name}`}
        onClick={() => toggleFavourite(id)}
      >
        {isStarred ? '★' : '☆'}
      </button>
    </div>
  );
}
