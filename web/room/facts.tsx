/** Where am I: the tenant, the role, whether the tenant is simulated, and whether the room is live. */
import { me } from '../state.ts';
import { connection } from './store.ts';

const CONNECTIONS = {
  none: ['', ''],
  connecting: ['◌ connecting', 'soft'],
  live: ['● live', 'good'],
  lost: ['✗ connection lost', 'bad'],
} as const;

/** Shows the facts. */
export function Facts() {
  const { name, role, simulated, tenant, profile, production } = me.value ?? {};
  const [word, tone] = CONNECTIONS[connection.value];
  return (
    <>
      {simulated === true ? <mark>simulated</mark> : undefined}
      {production === true ? <mark>production</mark> : undefined}
      {tenant ? (
        <span dir="auto">
          tenant {tenant} {profile ? `(${profile})` : ''}
        </span>
      ) : undefined}
      <span dir="auto">
        {name} ({role})
      </span>
      <span class={tone}>{word}</span>
    </>
  );
}
