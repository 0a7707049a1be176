import { expect, test } from '@jest/globals';
import { createManifest } from '../../../../shared/platforms/slack/oauth/manifest.ts';
import { SCOPES } from '../../../../shared/platforms/slack/oauth/scopes.ts';
import {
  type ListenerRegistry,
  registerListeners,
} from '../../../../shared/platforms/slack/listeners/index.ts';

const ignore = () => undefined;

/** A manifest with everything that one of this app can contain. */
const {
  features,
  oauth_config: oauth,
  settings,
} = createManifest({
  origin: 'https://x.example',
  listening: 'channels',
  command: '/parley',
  shortcuts: [{ name: 'summarise', label: 'Summarise', about: 'Sums up a thread' }],
  orgWide: true,
});

type Listener = { readonly kind: keyof ListenerRegistry; readonly constraint: unknown };

/** Registers the listeners of the front, and returns what each of them listens to. */
function registeredListeners(): readonly Listener[] {
  const listeners: Listener[] = [];
  const record = (kind: Listener['kind']) => (constraint: unknown) => {
    listeners.push({ kind, constraint });
  };
  const registry: ListenerRegistry = {
    event: record('event'),
    action: record('action'),
    command: record('command'),
    shortcut: record('shortcut'),
    view: record('view'),
    options: record('options'),
  };
  registerListeners(registry, {
    handleChatEvent: async () => 'ignored',
    handleInteraction: async () => 'queued',
    now: () => 0,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  return listeners;
}

const listeners = registeredListeners();
const hasListener = (kind: Listener['kind']): boolean => listeners.some((listener) => listener.kind === kind);

test('the manifest subscribes to the events that have a listener, and to no others', () => {
  const listened = listeners.filter(({ kind }) => kind === 'event').map(({ constraint }) => constraint);
  // `message.im` and the like subscribe to the event `message` in one kind of conversation.
  const subscribed = settings.event_subscriptions.bot_events.map((name) => name.split('.', 1)[0]);
  expect(new Set(listened)).toEqual(new Set(subscribed));
});

test('the manifest has a slash command, shortcuts and interactivity exactly if they have listeners', () => {
  expect(hasListener('command')).toBe(features.slash_commands.length > 0);
  expect(hasListener('command')).toBe(SCOPES.includes('commands'));
  expect(hasListener('shortcut')).toBe('shortcuts' in features);
  expect(hasListener('action') || hasListener('view')).toBe(settings.interactivity.is_enabled);
});

test('the manifest asks for the scopes of the bot', () => {
  expect(oauth.scopes.bot).toEqual(SCOPES);
});
