import type { ParameterDefinition } from '../domain/definition.ts';

/** The numeric channels that a car sends, in the order of `Sample`. */
export const channels = [
  define('Speed', '/Chassis', 'km/h', [0, 360], '0.0', 'Speed over ground'),
  define('EngineRPM', '/Engine', 'rpm', [4000, 12500], '0', 'Crankshaft speed'),
  define('Gear', '/Gearbox', '', [1, 8], '0', 'Engaged gear'),
  define('Throttle', '/Driver', '%', [0, 100], '0', 'Throttle pedal'),
  define('Brake', '/Driver', 'bar', [0, 120], '0.0', 'Front brake pressure'),
  define('Steering', '/Driver', 'deg', [-180, 180], '0.0', 'Steering wheel angle, left is positive'),
  define('LateralG', '/Chassis', 'g', [-7, 7], '0.00', 'Acceleration across, to the left is positive'),
  define('LongitudinalG', '/Chassis', 'g', [-7, 3], '0.00', 'Acceleration along'),
  define('Distance', '/Position', 'm', [0, undefined], '0.0', 'Since the line was crossed'),
  define('X', '/Position', 'm', [undefined, undefined], '0.0', 'East of the middle of the track'),
  define('Y', '/Position', 'm', [undefined, undefined], '0.0', 'North of the middle of the track'),
  define('WaterTemp', '/Engine', '°C', [60, 130], '0.0', 'Coolant behind the engine'),
  define('OilTemp', '/Engine', '°C', [60, 150], '0.0', 'Oil in the sump'),
  define('Fuel', '/Engine', 'kg', [0, 110], '0.00', 'Fuel that is left'),
  define('TyreTempFL', '/Tyres', '°C', [20, 140], '0.0', 'Tread, front left'),
  define('TyreTempFR', '/Tyres', '°C', [20, 140], '0.0', 'Tread, front right'),
  define('TyreTempRL', '/Tyres', '°C', [20, 140], '0.0', 'Tread, rear left'),
  define('TyreTempRR', '/Tyres', '°C', [20, 140], '0.0', 'Tread, rear right'),
] as const;

function define(
  id: string,
  location: string,
  unit: string,
  [minimumValue, maximumValue]: readonly [number | undefined, number | undefined],
  format: string,
  description: string,
): ParameterDefinition {
  return {
    id,
    location,
    format,
    description,
    ...(unit !== '' && { unit }),
    ...(minimumValue !== undefined && { minimumValue }),
    ...(maximumValue !== undefined && { maximumValue }),
  };
}
