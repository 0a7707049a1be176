import { element } from './dom.js';
import { formatTime } from './format.js';

const HEIGHT = 190;
const DAY_MS = 86_400_000;
const charts = new Map();

/**
 * Draws a chart with its table. `series`: label, color (a CSS variable), values by step (null where there is none), dashed or
 * bars. `format` formats a value; `emptyTop` is the top of the axis without values; `increments` are the possible distances of its lines. The canvas is only a picture: the table below it has the same numbers.
 */
export function drawChart(container, { key, title, at, stepMs, series, format, emptyTop, increments }) {
  const known = charts.get(key);
  const data = [at.map((ms) => ms / 1_000), ...series.map(({ values }) => values)];
  const text = JSON.stringify(data);
  if (known?.text === text) return;
  const chart = known ?? createChart(container, { key, title, series, format });
  charts.set(key, Object.assign(chart, { text, data }));
  chart.options = { at, stepMs, series, format, emptyTop, increments };
  chart.picture.setAttribute('aria-label', describe(title, series, format));
  fillTable(chart);
  if (!chart.plot) chart.plot = createPlot(chart);
  else chart.plot.setData(data);
}

/** Draws all charts again, in the colors of the current theme. */
export function repaintCharts() {
  for (const chart of charts.values()) {
    chart.plot?.destroy();
    chart.plot = createPlot(chart);
  }
}

function createChart(container, { key, title }) {
  const picture = element('div', { class: 'picture', role: 'img' });
  const table = element('div', {
    class: 'numbers',
    tabindex: '0',
    role: 'group',
    'aria-label': `Numbers of ${title}`,
  });
  const details = element(
    'details',
    { 'data-key': key },
    element('summary', {}, 'Numbers of ', title),
    table,
  );
  const chart = { key, title, picture, table, details, plot: undefined, text: '' };
  details.addEventListener('toggle', () => fillTable(chart));
  const figure = element('figure', { 'data-chart': key }, element('figcaption', {}, title), picture, details);
  container.append(figure);
  new ResizeObserver(() => {
    chart.plot?.setSize({ width: picture.clientWidth, height: HEIGHT });
  }).observe(picture);
  return chart;
}

function createPlot({ picture, data, options: { series, format, at, stepMs, emptyTop, increments } }) {
  if (!globalThis.uPlot) {
    picture.textContent = 'The chart library is missing (npm ci installs it). The numbers are below.';
    return undefined;
  }
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color('--faint'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { stroke: color('--line') },
  };
  const isLong = at.length * stepMs >= DAY_MS;
  const clock = new Intl.DateTimeFormat('en', {
    ...(isLong && { month: 'short', day: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  });
  const options = {
    width: picture.clientWidth,
    height: HEIGHT,
    legend: { live: true },
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    scales: { y: { range: (_plot, _min, max) => [0, max ? max * 1.1 : emptyTop] } },
    axes: [
      {
        ...axis,
        space: isLong ? 110 : 60,
        values: (_plot, ticks) => ticks.map((s) => clock.format(s * 1_000)),
      },
      {
        ...axis,
        size: 84,
        ...(increments && { incrs: increments }),
        values: (_plot, ticks) => ticks.map((value) => format(value)),
      },
    ],
    series: [
      { label: 'Time', value: (_plot, s) => (s ? formatTime(s * 1_000) : '–') },
      ...series.map((one) => ({
        label: one.label,
        stroke: color(one.color),
        width: 2,
        value: (_plot, value) => (value === null || value === undefined ? '–' : format(value)),
        ...(one.isDashed && { dash: [6, 4] }),
        ...(one.isBar
          ? {
              fill: color(one.color),
              paths: globalThis.uPlot.paths.bars({ size: [0.7, 24] }),
              points: { show: false },
            }
          : { points: { show: true, size: 5, fill: color(one.color) } }),
      })),
    ],
  };
  picture.replaceChildren();
  return new globalThis.uPlot(options, data, picture);
}

/** Says the latest value of each series. */
function describe(title, series, format) {
  const latest = series.map(({ label, values }) => {
    const value = values.findLast((one) => one !== null && one !== undefined);
    return `${label} ${value === undefined ? 'no values' : `latest ${format(value)}`}`;
  });
  return `Chart: ${title}. ${latest.join(', ')}. The numbers are in the table below.`;
}

/** The table is built when somebody opens it. Steps without values are left out. */
function fillTable({ details, table, title, options }) {
  if (!details.open || !options) return;
  const { at, series, format } = options;
  const hasValue = (_at, index) => series.some(({ values }) => values[index]);
  const rows = at.map((ms, index) => [ms, index]).filter(([ms, index]) => hasValue(ms, index));
  const cell = (value) => element('td', {}, value === null || value === undefined ? '–' : format(value));
  table.replaceChildren(
    element(
      'table',
      {},
      element('caption', { class: 'hidden' }, title),
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          ...['From', ...series.map(({ label }) => label)].map((one) => element('th', { scope: 'col' }, one)),
        ),
      ),
      element(
        'tbody',
        {},
        ...rows
          .toReversed()
          .map(([ms, index]) =>
            element(
              'tr',
              {},
              element('th', { scope: 'row' }, formatTime(ms)),
              ...series.map(({ values }) => cell(values[index])),
            ),
          ),
      ),
    ),
    ...(rows.length === 0 ? [element('p', { class: 'hint' }, 'Nothing in this time.')] : []),
  );
}
