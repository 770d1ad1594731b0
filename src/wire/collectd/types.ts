/**
 * The types of collectd 5.12 that have several values, and what it calls these (its file types.db): a command says how many
 * values there are and not which. All others have one.
 */
const known: readonly (readonly [names: string, types: string])[] = [
  ['uncompressed compressed', 'compression'],
  ['used free', 'df'],
  ['io_time weighted_io_time', 'disk_io_time'],
  [
    'read write',
    'disk_latency disk_merged disk_octets disk_ops disk_time io_ops ps_disk_octets ps_disk_ops arc_l2_bytes',
  ],
  ['queries responses', 'dns_octets'],
  ['state reason', 'domain_state'],
  [
    'rx tx',
    'ib_octets ib_packets if_dropped if_errors if_octets if_packets io_octets io_packets memcached_octets mysql_octets node_octets serial_octets',
  ],
  ['shortterm midterm longterm', 'load'],
  ['processes threads', 'ps_count'],
  ['user syst', 'ps_cputime'],
  ['minflt majflt', 'ps_pagefaults vmpage_faults'],
  ['current worst threshold pretty', 'smart_attribute'],
  ['vf_rx vf_tx', 'vf_bytes vf_dropped vf_packets'],
  ['in out', 'vmpage_io'],
  ['value threshold', 'voltage_threshold'],
  ['demand_data demand_metadata prefetch_data prefetch_metadata', 'arc_counts'],
  ['current target minlimit maxlimit', 'arc_size'],
  ['hits inserts not_cached lowmem_prunes queries_in_cache', 'mysql_qcache'],
  ['running connected cached created', 'mysql_threads'],
];

const namesOfTypes = new Map(
  known.flatMap(([names, types]) => types.split(' ').map((type) => [type, names.split(' ')] as const)),
);

/** Returns the names of the values of a type; their places where it is not known. */
export function valueNames(type: string, count: number): readonly string[] {
  if (count === 1) return one;
  const names = namesOfTypes.get(type);
  return names?.length === count ? names : Array.from({ length: count }, (_, i) => String(i));
}

const one = ['value'];
