import * as z from 'zod/mini';
import type { Lookups } from '../template/resolve.ts';
import { resolve } from '../template/resolve.ts';
import type { Template } from '../template/template.ts';

/** Allowed actions on resources; `*` in a resource matches any characters. */
export type S3Permission = { readonly actions: readonly string[]; readonly resources: readonly string[] };

/** S3 permissions by the logical id of a role. */
export type S3Permissions = Readonly<Record<string, readonly S3Permission[]>>;

const Texts = z.union([z.string(), z.array(z.string())]);
const Policy = z.object({
  Roles: z._default(z.array(z.object({ Ref: z.string() })), []),
  PolicyDocument: z.object({
    Statement: z.array(z.looseObject({ Action: z._default(Texts, []), Resource: z.unknown() })),
  }),
});
const Allowed = z.strictObject({
  Effect: z.literal('Allow'),
  Action: Texts,
  Resource: Texts,
  Sid: z.optional(z.string()),
});

/**
 * Returns what the template's policies allow each role in S3. Throws for unsupported policies: a denial, or a permission with
 * a condition.
 */
export function readS3Permissions(
  roles: readonly string[],
  { Resources }: Template,
  lookups: Lookups,
): S3Permissions {
  const rights = new Map<string, S3Permission[]>(roles.map((role) => [role, []]));
  for (const [id, { Type, Properties }] of Object.entries(Resources)) {
    if (Type !== 'AWS::IAM::Policy') continue;
    const { Roles, PolicyDocument } = Policy.parse(Properties);
    const statements = PolicyDocument.Statement.filter(({ Action }) =>
      [Action].flat().some((action) => action.startsWith('s3:')),
    );
    for (const { Ref } of Roles) {
      const held = rights.get(Ref);
      held?.push(...statements.map((statement) => parsePermission(statement, lookups, id)));
    }
  }
  return Object.fromEntries(rights);
}

function parsePermission(statement: unknown, lookups: Lookups, id: string): S3Permission {
  const read = Allowed.safeParse(resolve(statement, lookups, id));
  if (read.success) return { actions: [read.data.Action].flat(), resources: [read.data.Resource].flat() };
  throw new Error(`The local S3 cannot evaluate the policy ${id}.\n${z.prettifyError(read.error)}`);
}

/** Whether the permissions allow `action` on the resource with this ARN. */
export function isAllowed(rights: readonly S3Permission[], action: string, arn: string): boolean {
  return rights.some(
    ({ actions, resources }) =>
      actions.includes(action) && resources.some((one) => matchesResource(one, arn)),
  );
}

function matchesResource(resource: string, arn: string): boolean {
  const parts = resource.split('*').map((part) => part.replaceAll(/[\^$.|?+()[\]{}/-]/gu, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 'su').test(arn);
}
