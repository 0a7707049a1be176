import * as v from 'valibot';
import type { WorkspaceId } from '../../../domain/index.ts';
import { type SlackCall, SlackApiError } from './call.ts';
import { optionalId } from './payload-fields.ts';

const answer = v.object({
  team_id: optionalId,
  enterprise_id: optionalId,
  is_enterprise_install: v.nullish(v.boolean()),
});

export type HomeDeps = {
  /** The deployment's own token, which is not from an OAuth installation. */
  readonly token: (options?: { readonly refresh: boolean }) => Promise<string>;
  /** Creates the function that calls Slack with that token. */
  readonly callWith: (token: string) => SlackCall;
};

/**
 * Returns the deployment's own token for its own workspace only. In a workspace that removed the app or never installed it, the token of
 * another workspace must not be used, although it may work in shared channels: rejects there with `account_inactive`, as Slack does for an
 * app that is not installed. `auth.test` is called once per token. For an org-wide installation, the organization counts too.
 */
export function homeToken({ token, callWith }: HomeDeps) {
  const homes = new Map<string, Promise<ReadonlySet<string>>>();
  const homeOf = (current: string): Promise<ReadonlySet<string>> => {
    const known = homes.get(current);
    if (known) return known;
    const lookup = workspacesOf(callWith(current));
    homes.set(current, lookup);
    lookup.catch(() => homes.delete(current));
    return lookup;
  };
  return async (workspace: WorkspaceId, options?: { readonly refresh: boolean }): Promise<string> => {
    const current = await token(options);
    if ((await homeOf(current)).has(workspace)) return current;
    throw new SlackApiError('auth.test', 'account_inactive');
  };
}

async function workspacesOf(call: SlackCall): Promise<ReadonlySet<string>> {
  const {
    team_id: team,
    enterprise_id: organisation,
    is_enterprise_install: forAll,
  } = v.parse(answer, await call('auth.test', {}));
  return new Set([team, forAll === true ? organisation : undefined].filter((id) => typeof id === 'string'));
}
