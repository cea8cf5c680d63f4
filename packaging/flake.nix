# nix run 'github:OWNER/ruse?dir=packaging' -- list
{
  description = "Tunes strategies for games with hidden information, and compares the methods";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs = { self, nixpkgs }:
    let
      manifest = (builtins.fromTOML (builtins.readFile ../Cargo.toml)).workspace.package;
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      for = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in {
      packages = for (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "ruse";
          version = manifest.version;
          src = ../.;
          cargoLock.lockFile = ../Cargo.lock;
          # They take long, and .ci/run runs them.
          doCheck = false;
          meta = {
            homepage = manifest.homepage;
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "ruse";
          };
        };
      });
    };
}
