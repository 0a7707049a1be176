import { byId, element, redraw } from './dom.js';
import { drawChart } from './charts.js';
import { formatBoth, formatCount, formatDollars, formatDuration, formatTime, NONE } from './format.js';
import { getOrCreateBox, drawTable, emptyText, gauge } from './tables.js';

/** The axes of charts. */
const DURATIONS = { format: formatDuration, emptyTop: 1_000 };
const COUNTS = {
  format: formatCount,
  emptyTop: 4,
  increments: Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat(),
};
const DOLLARS = { format: formatDollars, emptyTop: 0.01 };

const orGap = (value) => value ?? null;

export function drawTotals({ totals }) {
  const tiles = [
    ['Answers', formatCount(totals.answers)],
    ['Failed', formatCount(totals.failed), totals.failed > 0 ? 'bad' : undefined],
    ['Waiting now', formatCount(totals.waiting)],
    ['First word, p50 / p95', formatBoth(totals.firstWord)],
    ['Total time, p50 / p95', formatBoth(totals.total)],
    ['Tokens', formatCount(totals.tokens)],
    ['Dollars', formatDollars(totals.dollars)],
  ];
  redraw(byId('totals'), tiles, () =>
    tiles.map(([name, value, mood]) =>
      element('li', { class: mood }, element('span', {}, name), element('strong', {}, value)),
    ),
  );
}

export function drawNotes({ notes }) {
  byId('notes').hidden = notes.length === 0;
  redraw(byId('notes'), notes, () => notes.map((note) => element('li', {}, note)));
}

export function drawSpeed({ steps, stepMs }) {
  const at = steps.map((step) => step.at);
  const both = (name) => [
    { label: 'p50', color: '--one', values: steps.map((step) => orGap(step[name].p50)) },
    { label: 'p95', color: '--two', isDashed: true, values: steps.map((step) => orGap(step[name].p95)) },
  ];
  const draw = (key, title) =>
    drawChart(byId('speed-charts'), { key, title, at, stepMs, series: both(key), ...DURATIONS });
  draw('firstWord', 'Time to the first word');
  draw('total', 'Total time of an answer');
  draw('queueWait', 'Wait for a worker');
  draw('requestWait', 'Wait for the models');
}

export function drawVolume(data) {
  const { steps, stepMs, usage } = data;
  const at = steps.map((step) => step.at);
  const values = (pick) => steps.map((step) => pick(step) || null);
  const draw = (chart) => drawChart(byId('volume-charts'), { at, stepMs, ...chart });
  draw({
    key: 'answers',
    title: 'Answers',
    ...COUNTS,
    series: [
      { label: 'All', color: '--one', isBar: true, values: values(({ answers }) => answers) },
      { label: 'Failed', color: '--bad', isBar: true, values: values(({ failed }) => failed) },
    ],
  });
  draw({
    key: 'rejections',
    title: 'Rejected and failed requests',
    ...COUNTS,
    series: [
      { label: 'Rate limit (429)', color: '--two', values: values(({ limited }) => limited) },
      {
        label: 'Models failed',
        color: '--bad',
        isDashed: true,
        values: values((step) => step.failedRequests),
      },
    ],
  });
  draw({
    key: 'tokens',
    title: 'Tokens',
    ...COUNTS,
    series: [
      {
        label: 'All',
        color: '--one',
        isBar: true,
        values: values((step) => step.promptTokens + step.completionTokens),
      },
      { label: 'Of answers', color: '--two', isBar: true, values: values((step) => step.completionTokens) },
    ],
  });
  draw({
    key: 'dollars',
    title: 'Dollars',
    ...DOLLARS,
    series: [{ label: 'Dollars', color: '--one', isBar: true, values: values(({ dollars }) => dollars) }],
  });
  byId('usage-since').textContent = `By person, channel and model since ${usage.firstDay}:`;
  const empty = emptyText(data, 'usage', 'Nothing was used yet.');
  drawUsage('People', 'person', usage.people, empty);
  drawUsage('Channels', 'channel', usage.channels, empty);
  drawUsage('Models', 'model', usage.models, empty);
}

function drawUsage(title, what, rows, empty) {
  drawTable(getOrCreateBox(byId('usage-tables'), what), {
    title,
    rows,
    empty,
    columns: [
      { title: title === 'People' ? 'Person' : title.slice(0, -1), cell: ({ name, id }) => name ?? id },
      { title: 'Platform', cell: ({ platform }) => platform },
      { title: 'Requests', isNumber: true, cell: ({ requests }) => formatCount(requests) },
      { title: 'Tokens', isNumber: true, cell: ({ tokens }) => formatCount(tokens) },
      {
        title: 'Dollars',
        isNumber: true,
        cell: ({ dollars, unpriced }) =>
          unpriced > 0 ? `${formatDollars(dollars)} + ${unpriced} without a price` : formatDollars(dollars),
      },
    ],
  });
}

export function drawLimits(data) {
  const { limits, pausedModels, queues } = data;
  const group = byId('limit-tables');
  drawTable(getOrCreateBox(group, 'limits'), {
    title: 'Rate limits of the API keys',
    rows: limits,
    empty: emptyText(data, 'limits', 'No request was sent yet.'),
    columns: [
      { title: 'Requests for', cell: ({ family }) => family },
      { title: 'Key', cell: ({ key }) => key },
      {
        title: 'Used',
        cell: ({ used, burst, family }) => gauge(used, burst, `${family}: used part of the burst`),
      },
      { title: 'In line', isNumber: true, cell: ({ waiting }) => formatCount(waiting) },
      {
        title: 'Paused',
        cell: ({ pausedUntil }) => (pausedUntil ? `until ${formatTime(pausedUntil)}` : 'no'),
      },
    ],
  });
  drawTable(getOrCreateBox(group, 'models'), {
    title: 'Models without capacity',
    rows: pausedModels,
    empty: emptyText(data, 'limits', 'None: all models get requests.'),
    columns: [
      { title: 'Model', cell: ({ model }) => model },
      { title: 'No requests until', cell: ({ until }) => formatTime(until) },
    ],
  });
  drawTable(getOrCreateBox(group, 'queues'), {
    title: 'Queues',
    rows: queues.map(({ oldestMs, ...queue }) => ({ ...queue, oldest: formatDuration(oldestMs) })),
    empty: emptyText(data, 'queues', 'There are no queues.'),
    columns: [
      { title: 'Queue', cell: ({ name }) => name },
      { title: 'Waiting', isNumber: true, cell: ({ waiting }) => formatCount(waiting) },
      { title: 'In progress', isNumber: true, cell: ({ inFlight }) => formatCount(inFlight) },
      { title: 'Oldest', isNumber: true, cell: ({ oldest }) => oldest },
    ],
  });
  drawQueueChart(data);
}

const QUEUE_COLORS = ['--one', '--two', '--bad', '--faint'];

function drawQueueChart({ queueHistory, queues, steps, stepMs }) {
  const samples = new Map(queueHistory.map(({ at, waiting }) => [at, waiting]));
  drawChart(byId('limit-charts'), {
    key: 'queues',
    title: 'Tasks in the queues',
    at: steps.map(({ at }) => at),
    stepMs,
    ...COUNTS,
    series: queues.slice(0, QUEUE_COLORS.length).map(({ name }, index) => ({
      label: name,
      color: QUEUE_COLORS[index],
      isDashed: index % 2 === 1,
      values: steps.map(({ at }) => samples.get(at)?.[name] ?? null),
    })),
  });
}

const ALARM_STATES = { alarm: 'failed', ok: 'answered', 'no data': 'waiting' };

/** A system without alarms has no such table. */
export function drawAlarms({ alarms }) {
  byId('alarm-table').hidden = alarms === undefined;
  if (alarms === undefined) return;
  drawTable(byId('alarm-table'), {
    title: 'Alarms',
    rows: alarms,
    empty: 'The deployment has no alarms.',
    columns: [
      { title: 'Alarm', cell: ({ name }) => name },
      {
        title: 'State',
        cell: ({ state }) => element('span', { class: `state ${ALARM_STATES[state]}` }, state),
      },
      { title: 'Since', isNumber: true, cell: ({ since }) => formatTime(since) },
      { title: 'Meaning', cell: ({ meaning }) => meaning },
    ],
  });
}

export function drawErrors(data) {
  const { errors } = data;
  drawTable(byId('error-table'), {
    title: 'Errors and warnings',
    isTitleHidden: true,
    rows: errors,
    empty: emptyText(data, 'records', 'No errors in this time.'),
    columns: [
      { title: 'Event', cell: ({ event }) => event },
      { title: 'Message', cell: ({ message }) => message || NONE },
      { title: 'Logged by', cell: ({ source }) => source },
      { title: 'Level', cell: ({ level }) => level },
      { title: 'Times', isNumber: true, cell: ({ count }) => formatCount(count) },
      { title: 'Last', isNumber: true, cell: ({ lastAt }) => formatTime(lastAt) },
      {
        title: 'Example',
        cell: ({ trace }) =>
          trace ? element('a', { href: `#trace=${trace}`, 'data-key': trace }, 'Show') : NONE,
      },
    ],
  });
}

export function drawJobs(data) {
  const { jobs, tools, feedback } = data;
  const group = byId('job-tables');
  drawTable(getOrCreateBox(group, 'jobs'), {
    title: 'Jobs',
    rows: jobs,
    empty: emptyText(data, 'records', 'No videos, transcriptions, exports or erasures in this time.'),
    columns: [
      { title: 'Job', cell: ({ kind }) => kind },
      { title: 'State', cell: ({ state }) => state },
      { title: 'Started', isNumber: true, cell: ({ startedAt }) => formatTime(startedAt) },
      { title: 'Ended', isNumber: true, cell: ({ endedAt }) => formatTime(endedAt) },
    ],
  });
  drawTable(getOrCreateBox(group, 'tools'), {
    title: 'Tools',
    rows: tools,
    empty: emptyText(data, 'records', 'No tool of a server and no web search was called in this time.'),
    columns: [
      { title: 'From', cell: ({ source }) => source },
      { title: 'Tool', cell: ({ tool }) => tool },
      { title: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
      { title: 'Failed', isNumber: true, cell: ({ failed }) => formatCount(failed) },
      { title: 'Cards', isNumber: true, cell: ({ proposed }) => formatCount(proposed) },
      { title: 'Time, p50 / p95', isNumber: true, cell: ({ ms }) => formatBoth(ms) },
    ],
  });
  drawTable(getOrCreateBox(group, 'feedback'), {
    title: 'Feedback',
    rows: feedback,
    empty: emptyText(data, 'records', 'Nobody rated an answer in this time.'),
    columns: [
      { title: 'Model', cell: ({ model }) => model },
      { title: 'Good', isNumber: true, cell: ({ good }) => formatCount(good) },
      { title: 'Bad', isNumber: true, cell: ({ bad }) => formatCount(bad) },
    ],
  });
}
