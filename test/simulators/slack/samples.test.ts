import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isJson, type Json } from './state.ts';
import { ADA, setUp, text } from './harness.ts';

const FOLDER = join(process.env['PARLEY_SHARED'] ?? '', 'samples/slack/bolt-python/tests');
const present = process.env['PARLEY_SHARED'] !== undefined && existsSync(FOLDER);

/** A real payload of Slack with masked ids. */
function sample(file: string): Json {
  const read: unknown = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
  if (!isJson(read)) throw new Error(`no payload: ${file}`);
  return read;
}

const scenario = (name: string): Json => sample(`scenario_tests/${name}`);

/** The path of every value in a payload; entries of an array count as one. */
function places(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => places(entry, `${at}[]`));
  if (!isJson(value)) return [at];
  return Object.entries(value).flatMap(([name, inner]) => places(inner, `${at}.${name}`));
}

/** The paths that Slack sends and the simulator does not, besides the named ones. */
const missing = (ours: unknown, theirs: unknown, besides: RegExp): string[] => {
  const have = new Set(places(ours).flatMap((place) => prefixes(place)));
  return [...new Set(places(theirs))].filter((place) => !have.has(place) && !besides.test(place));
};

const prefixes = (place: string): string[] => {
  const parts = place.split(/(?=[.[])/);
  return parts.map((_part, index) => parts.slice(0, index + 1).join(''));
};

const THUMBNAILS = /\.(thumb_\w+|original_[wh]|permalink_public)$/;
const OLD = /^\.authed_users/;

/** Without the samples there is nothing to compare: set PARLEY_SHARED to their folder. */
(present ? describe : describe.skip)(
  'what Slack really sends is all there (skipped unless PARLEY_SHARED names the folder of samples/)',
  () => {
    test.each(['test_events.message_file_share_body.json', 'test_message_file_share.event_payload.json'])(
      'a file message has the fields of the recorded sample %s',
      (file) => {
        const { workspace, events } = setUp();
        workspace.say(ADA, 'look', { files: [{ name: 'a.png', content: 'x' }] });
        expect(missing(events[0], scenario(file), THUMBNAILS)).toEqual([]);
      },
    );

    test('a message and its deletion in an organization have the fields of the recorded samples', () => {
      const { workspace, events } = setUp({
        identity: { enterprise: { id: 'E0ORG', name: 'Org', orgInstall: true } },
      });
      const ts = workspace.say(ADA, '@parley hi');
      workspace.remove(ADA, 'general', ts);
      const [mention, message, deleted] = events;
      expect(missing(message, scenario('test_events_org_apps.test_message.event_payload.json'), OLD)).toEqual(
        [],
      );
      expect(
        missing(mention, scenario('test_events_say_stream.org_app_mention_event_body.json'), OLD),
      ).toEqual([]);
      expect(missing(deleted, scenario('test_message_deleted.event_payload.json'), OLD)).toEqual([]);
    });

    test.each([
      ['scenario_tests/test_block_actions.body.json', false],
      ['slack_bolt/request/test_request.test_org_wide_installations_block_actions.payload.json', true],
    ])('a click has the fields of the recorded sample %s', (file, orgInstall) => {
      const { workspace, call, channel } = setUp({
        identity: { enterprise: { id: 'E0ORG', name: 'Org', orgInstall } },
      });
      const button = {
        type: 'button',
        text: { type: 'plain_text', text: 'Button', emoji: true },
        value: 'v',
      };
      const blocks = [{ type: 'actions', elements: [button] }];
      const ts = text(call('chat.postEphemeral', { channel, user: ADA, text: 'x', blocks })['message_ts']);
      expect(missing(workspace.press(ADA, ts, 'Button'), sample(file), OLD)).toEqual([]);
    });
  },
);
