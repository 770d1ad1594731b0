import type { ComponentChildren } from 'preact';
import { SectorsPanel } from '../laps/sectors-panel.tsx';
import { XyPanel } from '../map/xy.tsx';
import { beside } from '../state/view.ts';
import type { Beside } from '../state/view-text.ts';
import { HistogramPanel } from './histogram.tsx';
import { ReportPanel } from './report.tsx';
import { SpectrumPanel } from './spectrum.tsx';
import { togglePanel } from './toggle-panel.ts';
import { VideoPanel } from './video.tsx';

/** What stands beside the plots, linked to their cursor and their range. */
export function BesidePanels() {
  const open = beside.value;
  return (
    <>
      {open.includes('xy') && (
        <Panel panel="xy" name="XY">
          <XyPanel />
        </Panel>
      )}
      {open.includes('histogram') && (
        <Panel panel="histogram" name="Histogram">
          <HistogramPanel />
        </Panel>
      )}
      {open.includes('sectors') && (
        <Panel panel="sectors" name="Sectors">
          <SectorsPanel />
        </Panel>
      )}
      {open.includes('video') && (
        <Panel panel="video" name="Video">
          <VideoPanel />
        </Panel>
      )}
      {open.includes('report') && (
        <Panel panel="report" name="Report">
          <ReportPanel />
        </Panel>
      )}
      {open.includes('spectrum') && (
        <Panel panel="spectrum" name="Spectrum">
          <SpectrumPanel />
        </Panel>
      )}
    </>
  );
}

function Panel({ panel, name, children }: { panel: Beside; name: string; children: ComponentChildren }) {
  return (
    <div class="beside-panel">
      <header>
        <h2>{name}</h2>
        <button type="button" class="quiet" aria-label={`Close ${name}`} onClick={() => togglePanel(panel)}>
          ✕
        </button>
      </header>
      {children}
    </div>
  );
}
