import { repaintCharts } from './charts.js';
import { byId } from './dom.js';
import { drawFaults } from './faults.js';
import { drawMessages, startLedger } from './ledger.js';
import {
  drawErrors,
  drawJobs,
  drawLimits,
  drawNotes,
  drawSpeed,
  drawTotals,
  drawVolume,
} from './sections.js';

const REFRESH_MS = 3_000;
const TICK_MS = 1_000;

let isPaused = false;
let state;
/** The server's clock minus that of this browser. */
let clockOffsetMs = 0;
let loading;

function draw(data) {
  state = data;
  clockOffsetMs = data.at - Date.now();
  for (const part of [
    drawTotals,
    drawNotes,
    drawSpeed,
    drawVolume,
    drawLimits,
    drawMessages,
    drawErrors,
    drawJobs,
  ])
    part(data);
  tick();
  byId('main').removeAttribute('aria-busy');
}

function tick() {
  if (state) drawFaults(state.faults, clockOffsetMs, changeFault);
}

function report(problem) {
  const box = byId('trouble');
  box.hidden = problem === undefined;
  if (box.textContent !== (problem ?? '')) box.textContent = problem ?? '';
}

/** Loads and draws. A newer load replaces one that is still running, so that the page never shows an older range. */
async function load() {
  loading?.abort();
  const own = new AbortController();
  loading = own;
  try {
    const response = await fetch(`/data?minutes=${byId('range').value}`, { signal: own.signal });
    const data = await response.json();
    if (own.signal.aborted) return;
    if (!response.ok) return report(data.error);
    report(undefined);
    draw(data);
  } catch (error) {
    if (own.signal.aborted) return;
    report(
      error instanceof TypeError
        ? 'Parley does not respond: it may have stopped. The numbers are old.'
        : String(error),
    );
  }
}

async function changeFault(name, seconds) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch('/faults', {
    method: 'POST',
    headers,
    body: JSON.stringify({ name, seconds }),
  });
  const content = await response.json();
  if (!response.ok) return report(content.error);
  state = { ...state, faults: content.faults };
  return tick();
}

/** Dark or light: as the system has it, until the button says otherwise. */
function startTheme() {
  const button = byId('theme');
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const paint = () => {
    const theme = localStorage.getItem('theme') ?? (dark.matches ? 'dark' : 'light');
    document.documentElement.dataset.theme = theme;
    button.textContent = theme === 'dark' ? 'Light colors' : 'Dark colors';
    repaintCharts();
  };
  dark.addEventListener('change', paint);
  button.addEventListener('click', () => {
    localStorage.setItem('theme', document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
    paint();
  });
  paint();
}

function startControls() {
  const pause = byId('pause');
  pause.addEventListener('click', () => {
    isPaused = !isPaused;
    pause.textContent = isPaused ? 'Continue' : 'Pause';
    if (!isPaused) void load();
  });
  const range = byId('range');
  range.value = localStorage.getItem('range') ?? range.value;
  range.addEventListener('change', () => {
    localStorage.setItem('range', range.value);
    void load();
  });
}

startTheme();
startControls();
startLedger();
void load();
setInterval(() => {
  if (!isPaused && !document.hidden) void load();
}, REFRESH_MS);
setInterval(tick, TICK_MS);
