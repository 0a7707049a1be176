import { InvalidArgumentError } from 'commander';
import { isPlatformName, type PlatformName } from '../../../shared/domain/index.ts';

/** A Slack workspace or a Discord guild. */
export type Workspace = { readonly platform: PlatformName; readonly workspace: string };

/** Parses `slack:T0123456789`. Throws InvalidArgumentError. */
export function parseWorkspace(input: string): Workspace {
  const [platform, workspace = ''] = input.split(':');
  if (isPlatformName(platform) && /^[\w@-]+$/u.test(workspace)) return { platform, workspace };
  throw new InvalidArgumentError(
    'The platform and the id of the workspace or guild, such as slack:T0123456789.',
  );
}
