import type { Server } from 'node:http';
import * as v from 'valibot';
import { parseJson } from '../../../../shared/utils/index.ts';
import { isAllowed, type Permissions } from '../../template/permissions.ts';
import { ACCOUNT, REGION } from '../../template/resource-names.ts';
import { handleBefore } from './handle-before.ts';

export type PermissionCheck = {
  /** Permissions by role; a role's session token is its name. Requests without a session token may do everything. */
  readonly permissions: Permissions;
  /** Gets a line for each request that is refused: a function may go on without it. */
  readonly note: (line: string) => void;
};

const Input = v.object({ TableName: v.string(), IndexName: v.optional(v.string()) });

/**
 * Makes the handlers of a server refuse what the policies do not allow the role of the caller, as AWS does. Only operations on a single table are ever
 * allowed.
 */
export function checkPermissions(server: Server, { permissions, note }: PermissionCheck): void {
  handleBefore(server, (request, response, next) => {
    const { 'x-amz-security-token': role, 'x-amz-target': target } = request.headers;
    if (typeof role !== 'string') return next();
    const parts: Buffer[] = [];
    const collect = (part: Buffer) => void parts.push(part);
    request.on('data', collect).once('end', () => {
      const body = Buffer.concat(parts);
      const rejection = findRejection(role, String(target), body.toString(), permissions);
      if (rejection !== undefined) {
        note(rejection.message);
        response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
        return void response.end(JSON.stringify(rejection));
      }
      request.off('data', collect);
      next();
      // dynalite throws the errors of a request, and reads its body from these events.
      request.removeAllListeners('error').on('error', () => {});
      request.emit('data', body);
      request.emit('end');
    });
  });
}

type Rejection = { readonly __type: string; readonly message: string };

/** Error names and texts: DynamoDB Developer Guide, "Error handling with DynamoDB". */
function findRejection(
  role: string,
  target: string,
  body: string,
  permissions: Permissions,
): Rejection | undefined {
  const rights = permissions[role];
  if (rights === undefined)
    return {
      __type: 'com.amazon.coral.service#UnrecognizedClientException',
      message: 'The security token included in the request is invalid.',
    };
  const action = `dynamodb:${target.slice(target.indexOf('.') + 1)}`;
  const input = v.safeParse(Input, parseJson(body));
  const arn = input.success ? getResource(input.output) : '*';
  if (isAllowed(rights, action, arn)) return undefined;
  return {
    __type: 'com.amazon.coral.service#AccessDeniedException',
    message: `${role} is not authorized to perform: ${action} on resource: ${arn}`,
  };
}

function getResource({ TableName, IndexName }: v.InferOutput<typeof Input>): string {
  const table = `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${TableName}`;
  return IndexName === undefined ? table : `${table}/index/${IndexName}`;
}
