import { expect, test } from '@jest/globals';
import { SlackApiError } from '../../../../shared/platforms/slack/api/call.ts';
import { classifyError, isPermanent } from '../../../../shared/platforms/slack/api/errors.ts';

test.each(['team_added_to_org', 'org_login_required'])(
  'while a workspace moves into an organization, requests are repeated: %s',
  (code) => {
    expect(classifyError(new SlackApiError('chat.postMessage', code))).toEqual({ kind: 'transient' });
  },
);

test('an organization that removed the app from a workspace has refused for good', () => {
  const code = 'team_access_not_granted';
  expect(classifyError(new SlackApiError('chat.postMessage', code))).toEqual({ kind: 'refused', code });
  expect(isPermanent(code)).toBe(true);
});
