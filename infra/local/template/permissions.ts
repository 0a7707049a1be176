import * as v from 'valibot';
import type { Lookups } from './resolve.ts';
import { resolve } from './resolve.ts';
import type { Template } from './template.ts';

/** Allowed actions on resources; `*` in a resource matches any characters. */
export type Permission = { readonly actions: readonly string[]; readonly resources: readonly string[] };

/** Permissions by the logical id of a role. */
export type Permissions = Readonly<Record<string, readonly Permission[]>>;

const Texts = v.union([v.string(), v.array(v.string())]);
const Policy = v.object({
  Roles: v.optional(v.array(v.object({ Ref: v.string() })), []),
  PolicyDocument: v.object({
    Statement: v.array(v.looseObject({ Action: v.optional(Texts, []), Resource: v.optional(v.unknown()) })),
  }),
});
const Allowed = v.strictObject({
  Effect: v.literal('Allow'),
  Action: Texts,
  Resource: Texts,
  Sid: v.optional(v.string()),
});

/**
 * Returns what the template's policies allow each role in DynamoDB and S3. Throws for unsupported policies: a denial, or a
 * permission with a condition.
 */
export function readPermissions(
  roles: readonly string[],
  { Resources }: Template,
  lookups: Lookups,
): Permissions {
  const rights = new Map<string, Permission[]>(roles.map((role) => [role, []]));
  for (const [id, { Type, Properties }] of Object.entries(Resources)) {
    if (Type !== 'AWS::IAM::Policy') continue;
    const { Roles, PolicyDocument } = v.parse(Policy, Properties);
    const statements = PolicyDocument.Statement.filter(({ Action }) =>
      [Action].flat().some((action) => /^(?:dynamodb|s3):/u.test(action)),
    );
    for (const { Ref } of Roles) {
      const permissions = rights.get(Ref);
      permissions?.push(...statements.map((statement) => parsePermission(statement, lookups, id)));
    }
  }
  return Object.fromEntries(rights);
}

function parsePermission(statement: unknown, lookups: Lookups, id: string): Permission {
  const read = v.safeParse(Allowed, resolve(statement, lookups, id));
  if (read.success) return { actions: [read.output.Action].flat(), resources: [read.output.Resource].flat() };
  throw new Error(`The local system cannot evaluate the policy ${id}.\n${v.summarize(read.issues)}`);
}

/** Whether the permissions allow `action` on the resource with this ARN. */
export function isAllowed(rights: readonly Permission[], action: string, arn: string): boolean {
  return rights.some(
    ({ actions, resources }) =>
      actions.includes(action) && resources.some((one) => matchesResource(one, arn)),
  );
}

function matchesResource(resource: string, arn: string): boolean {
  if (!resource.includes('*')) return resource === arn;
  const parts = resource.split('*').map((part) => part.replaceAll(/[\^$.|?+()[\]{}/]/gu, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 'su').test(arn);
}
