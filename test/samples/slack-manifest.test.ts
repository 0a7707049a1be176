import { describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Schema, Validator } from '@cfworker/json-schema';
import * as v from 'valibot';
import { formatManifest } from '../../infra/cli/slack-manifest.ts';
import { listEvents, SCOPES } from '../../shared/platforms/slack/oauth/scopes.ts';
import { createManifest as manifestOf } from '../../shared/platforms/slack/oauth/manifest.ts';
import { appOf } from '../simulators/slack/app-manifest.ts';
import { USED_METHODS } from '../simulators/slack/used-methods.ts';

const project = join(import.meta.dirname, '..', '..');
const shared = process.env['PARLEY_SHARED'];
const slack = join(shared ?? '', 'samples', 'slack');

const json = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'));
const names = v.array(v.string());

/** The scopes of each method, including those that the reference among the samples lacks. Source: docs.slack.dev/reference/methods. */
const METHOD_SCOPES: Readonly<Record<string, readonly string[]>> = {
  'agents.sessions.setStatus': ['chat:write'],
  'assistant.search.context': ['search:read.public'],
  'assistant.threads.setStatus': ['chat:write'],
  'auth.test': [],
  'canvases.access.set': ['canvases:write'],
  'canvases.create': ['canvases:write'],
  'canvases.delete': ['canvases:write'],
  'canvases.edit': ['canvases:write'],
  'chat.appendStream': ['chat:write'],
  'chat.delete': ['chat:write'],
  'chat.getPermalink': [],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write'],
  'chat.startStream': ['chat:write'],
  'chat.stopStream': ['chat:write'],
  'chat.update': ['chat:write'],
  'conversations.history': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  'conversations.replies': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  'files.completeUploadExternal': ['files:write'],
  'files.delete': ['files:write'],
  'files.getUploadURLExternal': ['files:write'],
  'conversations.info': ['channels:read'],
  'conversations.members': ['channels:read', 'groups:read'],
  'files.info': ['files:read'],
  'reactions.add': ['reactions:write'],
  'reactions.remove': ['reactions:write'],
  'usergroups.list': ['usergroups:read'],
  'users.info': ['users:read'],
  'users.list': ['users:read'],
  'views.open': [],
  'views.publish': [],
  'views.update': [],
};

/** The scopes that a subscription to an event requires. Source: docs.slack.dev/reference/events. */
const EVENT_SCOPES: Readonly<Record<string, readonly string[]>> = {
  agent_session_stopped: ['assistant:write'],
  app_home_opened: [],
  app_mention: ['app_mentions:read'],
  app_uninstalled: [],
  channel_deleted: ['channels:read'],
  group_deleted: ['groups:read'],
  'message.channels': ['channels:history'],
  'message.groups': ['groups:history'],
  'message.im': ['im:history'],
  'message.mpim': ['mpim:history'],
  reaction_added: ['reactions:read'],
  team_access_revoked: [],
};

describe('the manifest', () => {
  test('asks for exactly the scopes that the methods and events in use require', () => {
    const required = [
      ...[...USED_METHODS].flatMap((method) => METHOD_SCOPES[method] ?? [`unknown: ${method}`]),
      ...listEvents('channels', true).flatMap((event) => EVENT_SCOPES[event] ?? [`unknown: ${event}`]),
      'commands',
    ];
    const withSearch = manifestOf({
      listening: 'mentions',
      command: '/parley',
      shortcuts: [],
      messageSearch: true,
    }).oauth_config.scopes.bot;
    expect([...new Set(required)].toSorted()).toEqual([...withSearch].toSorted());
    expect(withSearch.filter((scope) => !SCOPES.includes(scope))).toEqual(['search:read.public']);
    expect(formatManifest(['--search'])).toContain('search:read.public');
  });

  test('for mentions subscribes to no channel messages; it may read each kind of conversation that it subscribes to', () => {
    expect(listEvents('mentions').filter((event) => event.startsWith('message.'))).toEqual([
      'message.im',
      'message.mpim',
    ]);
    for (const kind of ['channels', 'groups', 'im', 'mpim']) expect(SCOPES).toContain(`${kind}:history`);
  });

  test('the example in docs/ equals the output of the command', () => {
    expect(readFileSync(join(project, 'docs', 'slack-app.json'), 'utf8')).toBe(
      formatManifest(['--channels']),
    );
  });

  test('has at most as many message shortcuts as Slack allows; the others are under More actions', () => {
    for (const args of [[], ['--channels'], ['--url', 'https://x.example', '--org']]) {
      const { shortcuts } = appOf(JSON.parse(formatManifest(args)));
      expect(shortcuts.map(({ callback_id: name }) => name)).toEqual([
        'animate-form',
        'ask-about',
        'more-actions',
        'summarise',
        'transcribe',
      ]);
    }
    const about = { listening: 'mentions', command: '/parley' } as const;
    const shortcuts = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name, label: name, about: name }));
    expect(() => manifestOf({ ...about, shortcuts })).toThrow('6 message shortcuts; Slack allows 5');
  });

  test('contains the URLs of a deployment, and none in socket mode', () => {
    const deployed = formatManifest(['--url', 'https://x.example/slack/events', '--org']);
    expect(deployed).toContain('"request_url": "https://x.example/slack/events"');
    expect(deployed).toContain('"https://x.example/slack/oauth_redirect"');
    expect(deployed).toContain('"org_deploy_enabled": true');
    expect(deployed).toContain('"team_access_revoked"');
    expect(formatManifest(['--url', 'https://x.example'])).not.toContain('team_access_revoked');
    expect(formatManifest([])).not.toContain('https://');
    expect(formatManifest(['--command', '/bot'])).toContain('"command": "/bot"');
    expect(formatManifest([], { SLACK_COMMAND: '/bot' })).toContain('"command": "/bot"');
  });

  test('is printed as a URL that opens Slack with it when --link is given', () => {
    const url = new URL(formatManifest(['--channels', '--link']).trim());
    expect([url.origin, url.pathname, url.searchParams.get('new_app')]).toEqual([
      'https://api.slack.com',
      '/apps',
      '1',
    ]);
    const filledIn: unknown = JSON.parse(url.searchParams.get('manifest_json') ?? '');
    expect(filledIn).toEqual(JSON.parse(formatManifest(['--channels'])));
    // Browsers and Slack's front take some 8 KB.
    expect(url.href.length).toBeLessThan(8_000);
  });

  test.each([[['--url', 'http://x.example']], [['--org']], [['--command', 'bot']], [['--wrong']]])(
    'is not printed for %j',
    (args) => {
      expect(() => formatManifest(args)).toThrow(/--/);
    },
  );
});

const object = v.custom<Schema>((of) => typeof of === 'object' && of !== null);
const reference = v.object({ scope: v.object({ bot: v.optional(names, []) }) });

const manifest = v.object({
  features: v.object({ agent_view: v.record(v.string(), v.unknown()) }),
  settings: v.object({ event_subscriptions: v.object({ bot_events: v.array(v.string()) }) }),
});

const whenThere = shared === undefined ? describe.skip : describe;
whenThere(
  "compared with Slack's own data (skipped unless PARLEY_SHARED names the folder of samples/)",
  () => {
    test("fits Slack's schema with all options, and the schema rejects an invalid manifest", () => {
      const schema = json(slack, 'manifest-schema', 'schemas', 'manifest.schema.2.0.0.json');
      const validator = new Validator(v.parse(object, schema), '7', false);
      for (const args of [[], ['--channels'], ['--url', 'https://x.example', '--org', '--command', '/bot']]) {
        expect(validator.validate(JSON.parse(formatManifest(args))).errors).toEqual([]);
      }
      const tests = join(slack, 'manifest-schema', 'tests', 'manifests', 'v2');
      expect(validator.validate(json(tests, 'manifest.valid.json')).valid).toBe(true);
      expect(validator.validate(json(tests, 'manifest.invalid.json')).valid).toBe(false);
    });

    test("has the agent features and all events of Slack's own starter app", () => {
      const theirs = v.parse(
        manifest,
        json(slack, 'bolt-js-starter-agent', 'openai-agents-sdk', 'manifest.json'),
      );
      const ours = v.parse(manifest, JSON.parse(formatManifest(['--channels'])));
      expect(Object.keys(ours.features.agent_view)).toEqual(
        expect.arrayContaining(Object.keys(theirs.features.agent_view)),
      );
      const events = ({ settings }: typeof ours) => settings.event_subscriptions.bot_events;
      expect(events(ours)).toEqual(expect.arrayContaining(events(theirs)));
    });

    test.each([...USED_METHODS].toSorted())(
      "the table above has the scopes of Slack's reference for %s",
      (method) => {
        const file = join(slack, 'slack-api-ref', 'docs.slack.dev', 'methods', `${method}.json`);
        const scopes = existsSync(file) ? v.parse(reference, json(file)).scope.bot : [];
        expect(METHOD_SCOPES[method]).toEqual(expect.arrayContaining(scopes));
      },
    );
  },
);
