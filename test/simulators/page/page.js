import { startComposers, welcome } from './composer.js';
import { drawLog, fill } from './log.js';
import { startTheme } from './theme.js';
import { avatar, element, messageView, statusView } from './view.js';
import {
  applyChange,
  createState,
  isStreaming,
  loadEverything,
  statusOf,
  threadOf,
  topLevel,
} from './workspace.js';

const state = createState();
/** What the window shows: whose eyes, which channel, which thread. It is in the address, so windows can differ. */
const shown = { person: '', channel: '', thread: undefined };
const unread = new Map();
/** The field to type in next, as soon as it can be seen: what was said comes back by the feed. */
let toFocus;
const byId = (id) => document.getElementById(id);

const feed = new EventSource('/page/feed');
feed.addEventListener('everything', (event) => {
  loadEverything(state, JSON.parse(event.data));
  notice();
  readAddress();
  draw();
});
feed.addEventListener('change', (event) => {
  const change = JSON.parse(event.data);
  applyChange(state, change);
  if (change.kind === 'message') noteUnread(change.message);
  drawSoon();
});
feed.addEventListener('notice', (event) => notice(JSON.parse(event.data), 20_000));
feed.addEventListener('error', () => notice('The connection to this machine is lost. Trying again…'));

/** The address is `#person/channel/thread`. */
function readAddress() {
  const [name, channel, thread] = decodeURIComponent(location.hash.slice(1)).split('/');
  const person = state.users.find((user) => user.name === name) ?? state.users[0];
  shown.person = person?.id ?? '';
  const mine = channelsOf(shown.person);
  shown.channel = (mine.find((one) => one.id === channel) ?? mine[0])?.id ?? '';
  shown.thread = thread;
  unread.delete(unreadKey(shown.person, shown.channel));
}

function go(to) {
  const { person, channel, thread } = { ...shown, ...to };
  const name = state.users.find((user) => user.id === person)?.name ?? '';
  const hash = `#${[name, channel, thread].filter(Boolean).join('/')}`;
  if (location.hash === hash) return;
  location.hash = hash;
}

addEventListener('hashchange', () => {
  readAddress();
  draw();
});

const channelsOf = (person) =>
  [...state.channels.values()].filter((channel) => channel.members.includes(person));
const unreadKey = (person, channel) => `${person}/${channel}`;

function noteUnread(message) {
  for (const { id } of state.users) {
    const open = id === shown.person && message.channel === shown.channel;
    if (open || message.user === id || !channelsOf(id).some((channel) => channel.id === message.channel))
      continue;
    unread.set(unreadKey(id, message.channel), true);
  }
}

let drawing = false;
function drawSoon() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    draw();
  });
}

function draw() {
  byId('team').textContent = state.teamName;
  drawChannels();
  drawPersons();
  const channel = state.channels.get(shown.channel);
  if (!channel) return;
  const direct = channel.kind === 'im';
  byId('channel-title').textContent = direct
    ? state.bot.name
    : `${channel.kind === 'group' ? '' : '#'}${channel.name}`;
  byId('channel-title').classList.toggle('private', channel.kind === 'group');
  byId('channel-note').textContent = direct
    ? 'No mention needed here: Parley answers everything you send'
    : 'Mention @parley to ask; go on in the thread';
  const now = Date.now();
  const top = topLevel(state, shown.channel, shown.person);
  drawLog(
    byId('channel-log'),
    `${shown.person}/${shown.channel}`,
    top.map(({ message, replies }) => ({
      message,
      sign: [
        replies.length,
        replies.at(-1)?.ts,
        replies.some((one) => isStreaming(one, now)),
        statusOf(state, message.channel, message.ts, now),
      ],
      view: () => messageView(state, message, { replies, openThread: (thread) => go({ thread }), now }),
    })),
    () => welcome(byId('composer-text'), direct),
  );
  drawThread(channel, now);
}

function drawThread(channel, now) {
  const messages = shown.thread ? threadOf(state, shown.channel, shown.thread, shown.person) : [];
  const pane = byId('thread');
  pane.hidden = messages.length === 0;
  document.body.classList.toggle('with-thread', messages.length > 0);
  if (pane.hidden) return;
  if (toFocus) byId(toFocus).focus();
  toFocus = undefined;
  byId('thread-note').textContent = channel.kind === 'im' ? state.bot.name : `#${channel.name}`;
  drawLog(
    byId('thread-log'),
    `${shown.person}/${shown.channel}/${shown.thread}`,
    messages.map((message) => ({
      message,
      sign: [isStreaming(message, now)],
      view: () => messageView(state, message, { now }),
    })),
  );
  const joined = channel.kind === 'im' || messages.some((one) => one.user === state.bot.id);
  byId('thread-text').placeholder = joined ? 'Reply, no mention needed' : 'Reply, or mention @parley';
  const status = statusOf(state, shown.channel, shown.thread, now);
  byId('thread-status').replaceChildren(...(status ? statusView(state, status) : []));
}

function drawChannels() {
  const mine = channelsOf(shown.person);
  const item = (channel) => {
    const direct = channel.kind === 'im';
    const fresh = unread.has(unreadKey(shown.person, channel.id));
    const current = channel.id === shown.channel;
    return element(
      'li',
      {},
      element(
        'button',
        {
          type: 'button',
          'aria-current': current ? 'page' : undefined,
          class: fresh ? 'fresh' : undefined,
          onclick: () => go({ channel: channel.id, thread: undefined }),
        },
        element('span', { class: `sign ${channel.kind}`, 'aria-hidden': 'true' }),
        direct ? state.bot.name : channel.name,
        channel.kind === 'group' ? element('span', { class: 'hidden' }, ' (private)') : undefined,
        fresh ? element('span', { class: 'hidden' }, ' (unread)') : undefined,
      ),
    );
  };
  fill(byId('channels'), mine.filter((channel) => channel.kind !== 'im').map(item));
  fill(byId('directs'), mine.filter((channel) => channel.kind === 'im').map(item));
}

function drawPersons() {
  const buttons = state.users.map((user, index) => {
    const fresh = channelsOf(user.id).some((channel) => unread.has(unreadKey(user.id, channel.id)));
    return element(
      'button',
      {
        type: 'button',
        role: 'radio',
        'aria-checked': String(user.id === shown.person),
        title: `Alt + ${index + 1}`,
        class: fresh && user.id !== shown.person ? 'fresh' : undefined,
        onclick: () => become(user.id),
      },
      avatar({ realName: user.realName, isBot: false, tone: index % 3 }),
      user.realName.split(' ')[0],
    );
  });
  fill(byId('persons'), buttons);
}

function become(person) {
  const channel = state.channels.get(shown.channel);
  const direct = channel?.kind === 'im';
  const to = direct ? channelsOf(person).find((one) => one.kind === 'im')?.id : shown.channel;
  go({ person, channel: to ?? shown.channel, thread: direct ? undefined : shown.thread });
}

let noticeTimer;
function notice(words, ms) {
  clearTimeout(noticeTimer);
  const bar = byId('notice');
  bar.hidden = !words;
  bar.textContent = words ?? '';
  if (words && ms) noticeTimer = setTimeout(() => notice(), ms);
}

async function say(form) {
  const area = form.querySelector('textarea');
  const text = area.value.trim();
  if (text === '') return;
  const inThread = form.dataset.place === 'thread';
  area.value = '';
  const body = {
    user: shown.person,
    channel: shown.channel,
    text,
    ...(inThread ? { thread: shown.thread } : {}),
  };
  const said = await post(body);
  if (said === undefined) {
    area.value = text;
    return;
  }
  const direct = state.channels.get(shown.channel)?.kind === 'im';
  if (inThread || !(direct || new RegExp(`@${state.bot.name}\\b`, 'i').test(text))) return;
  toFocus = 'thread-text';
  go({ thread: said });
}

/** The ts of what was said, or undefined after telling why it was not. */
async function post(body) {
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch('/page/say', { method: 'POST', headers, body: JSON.stringify(body) });
    const { ts, error } = await response.json();
    if (!response.ok) notice(`Not sent: ${error}`, 10_000);
    return response.ok ? ts : undefined;
  } catch {
    notice('Not sent: the connection to this machine is lost.', 10_000);
    return undefined;
  }
}

startComposers(
  document.querySelectorAll('form.composer'),
  () => state.bot.name,
  (form) => void say(form),
);
startTheme(byId('theme'));

addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && shown.thread) {
    go({ thread: undefined });
    byId('composer-text').focus();
  }
  const person = event.altKey ? state.users[Number(event.key) - 1] : undefined;
  if (person) {
    event.preventDefault();
    become(person.id);
  }
});
byId('thread-close').addEventListener('click', () => {
  go({ thread: undefined });
  byId('composer-text').focus();
});

/** A status that ran out, or a sealed stream, is seen without a change. */
setInterval(drawSoon, 5_000);
