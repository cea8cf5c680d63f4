# The formula for Homebrew. A release fills in the version and the sum of its sources: `.ci/release sources`.
class Ruse < Formula
  desc "Tunes strategies for games with hidden information, and compares the methods"
  homepage "https://OWNER.github.io/ruse/"
  url "https://github.com/OWNER/ruse/releases/download/v@VERSION@/ruse-@VERSION@-source.tar.gz"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]
  head "https://github.com/OWNER/ruse.git", branch: "main"

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args
    generate_completions_from_executable(bin/"ruse", "completions")
    system bin/"ruse", "man", "--out", "man"
    man1.install Dir["man/*.1"]
  end

  test do
    assert_match "exact", shell_output("#{bin}/ruse match pig optimal optimal")
  end
end
