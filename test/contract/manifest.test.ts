import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { FORMS, manifestFaults, manifestFor, manifestSchema } from './manifest.ts';

const json = v.record(v.string(), v.record(v.string(), v.unknown()));
const manifestJson = v.parse(json, manifestFor(['--channels', '--url', 'https://x.example']));
const shortcut = (nth: number) => ({
  name: `S${nth}`,
  type: 'message',
  callback_id: `s${nth}`,
  description: 'x',
});

/** The manifest with another value in one of its groups. */
const changed = (group: string, name: string, value: unknown) => ({
  ...manifestJson,
  [group]: { ...manifestJson[group], [name]: value },
});

test('every variant of the manifest is valid', () => {
  expect(FORMS).toHaveLength(12);
  const schema = manifestSchema(process.env['PARLEY_SHARED']);
  expect(FORMS.flatMap((form) => manifestFaults(manifestFor(form), schema))).toEqual([]);
});

describe('reports what Slack would reject', () => {
  test.each([
    ['six shortcuts for messages', 'features', 'shortcuts', [1, 2, 3, 4, 5, 6].map(shortcut)],
    ['a long name', 'display_information', 'name', 'x'.repeat(36)],
    ['a name of the bot with a capital', 'features', 'bot_user', { display_name: 'Parley' }],
    ['an address without https', 'settings', 'interactivity', { is_enabled: true, request_url: 'http://x' }],
    ['an event twice', 'settings', 'event_subscriptions', { bot_events: ['app_mention', 'app_mention'] }],
    ['socket mode beside an address', 'settings', 'socket_mode_enabled', true],
    ['a part without a rule', 'features', 'unfurl_domains', ['x.example']],
  ])('%s', (_name, group, field, value) => {
    expect(manifestFaults(changed(group, field, value)).length).toBeGreaterThan(0);
  });
});
